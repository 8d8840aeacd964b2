// The SDK verifies what the service exports, by the same verifier as the command line.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readPin, verifyBundle } from '../../../packages/sdk-typescript/src/verify.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { useGuards } from './sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { connect } = useGuards(harness, ada);

test('an exported bundle is intact up to a pin, also gzipped and in pieces; a changed one is not', async () => {
  const assay = connect();
  const answer = await assay.decisions.create({
    inputContext: { prompt: 'Look order A-17 up' },
    outputDecision: { action: { tool: 'look_up', arguments: { order: 'A-17' } } },
  });
  const path = '/api/v1/hash-chain/export?disclose=outputDecision';
  const { text } = assertOk(await harness.app.call('GET', path, { token: ada.token }));
  const pin = readPin(answer);
  const bytes = Buffer.from(text);
  const options = { pins: [pin!], organizationId: ada.organizationId };
  async function* split(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
  }
  for (const bundle of [bytes, gzipSync(bytes), split()])
    expect(await verifyBundle(bundle, options)).toMatchObject({
      verdict: 'intact',
      vouchedUpTo: pin!.sequence,
    });
  const changed = Buffer.from(text.replace('A-17', 'A-18'));
  expect(await verifyBundle(changed)).toMatchObject({ verdict: 'tampered' });
  expect(await verifyBundle(Buffer.from('no bundle'))).toMatchObject({ verdict: 'cannot tell' });
  await expect(verifyBundle('no-such-file.json')).rejects.toThrow(/ENOENT/);
});
