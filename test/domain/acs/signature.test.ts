// Signatures of the Agent Control Standard, as another implementation makes them.
import { expect, test } from 'vitest';
import { canonicalize, type JsonObject } from '@assay/json';
import { deriveSessionKey, hasSignature, signEnvelope } from '../../../src/domain/acs/signature.ts';

const SESSION = '5c3f1b8e-9a0d-4c2e-8f4b-2d6a7e9c1b30';

test('keys and signatures are those of the vectors of another implementation', () => {
  const secret = Buffer.from(Array.from({ length: 32 }, (_, byte) => byte));
  const session = deriveSessionKey(secret, SESSION);
  expect(session.toString('hex')).toBe(
    '4e86230ba407bc623132e84189722dc2b4ab73f217ff67e0492c82fdf0d66309',
  );
  const id = '8d0b6b0e-4d6b-4f7a-9d1c-1f1c7f0e2a10';
  const request: JsonObject = {
    jsonrpc: '2.0',
    method: 'steps/toolCallRequest',
    id,
    params: {
      acs_version: '0.1.0',
      request_id: id,
      timestamp: '2026-09-19T10:00:00Z',
      metadata: { agent_id: 'agent', session_id: SESSION },
      payload: {
        tool: { name: 'Bash' },
        arguments: { command: { value: 'echo rm -rf /' } },
        raw_command: 'echo rm -rf /',
      },
    },
  };
  const signed = signEnvelope(request, 'params', { key: session, keyId: 'k1' });
  expect(signed['params']).toMatchObject({
    signature: { value: 'yJ3BXf/Hfc3jSnSMgOoNVGQ+5LKBKakvctDwE52lrM0=', key_id: 'k1' },
  });
  expect(hasSignature(signed, session)).toBe(true);
  expect(hasSignature({ ...signed, id: 'other' }, session)).toBe(false);
  expect(canonicalize(request)).toContain('"raw_command":"echo rm -rf /"');
});
