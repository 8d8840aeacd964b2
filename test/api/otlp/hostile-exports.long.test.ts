// Damaged exports over HTTP: whatever is cut or changed, a request is recorded or refused, and never a fault.
// @module-tag long
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { readBytes } from '../../setup/otlp/exports.ts';
import { createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { PROTOBUF } from './sending.ts';

const { app } = useHarness();

test('over HTTP, what is read is recorded and the rest is refused', async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const whole = readBytes('otel-js-proto');
  const random = fc.sample(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) }), 40);
  const statuses = new Set<number>();
  for (const { at, byte } of random) {
    const raw = Buffer.from(whole);
    raw[at] = byte;
    const headers = { 'content-type': PROTOBUF };
    statuses.add((await app.call('POST', '/v1/traces', { key, raw, headers })).status);
    const cut = raw.subarray(0, at);
    statuses.add((await app.call('POST', '/v1/traces', { key, raw: cut, headers })).status);
  }
  expect([...statuses].toSorted()).toEqual([200, 400]);
});
