// A bundle with an erasure does not show the erased values, even before the erasure is folded.
import { expect, test } from 'vitest';
import { verifyBundle } from '@assay/verifier';
import type { Step } from '../../../src/ledger/probe.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent, createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';

let arrive = (): void => undefined;
let release = (): void => undefined;
const reached = new Promise<void>((resolve) => (arrive = resolve));
const opened = new Promise<void>((resolve) => (release = resolve));
const probe = async (step: Step): Promise<void> => {
  if (step !== 'before-fold') return;
  arrive();
  await opened;
};
const harness = useHarness({}, { probe });
const ada = useOwner(harness);

async function* linesOf(text: string): AsyncGenerator<string> {
  for (const line of text.replace(/\n$/, '').split('\n')) yield await Promise.resolve(line);
}

test('does not show values of an erasure that is sealed and not yet folded', async () => {
  const { app } = harness;
  const { key } = await createWorkspaceKey(app, ada);
  const bot = await createAgent(app, ada);
  const body = { ...buildDecision(bot.id), rationale: 'A canary sings.' };
  assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  const [{ _id }] = assertOk(await app.call('GET', '/api/v1/traces', ada)).body.data;
  await app.instance.consumers.stop();
  const removal = app.call('POST', '/api/v1/traces/bulk-delete', {
    ...ada,
    body: { ids: [_id] },
  });
  await reached;
  const exported = await app.call('GET', '/api/v1/hash-chain/export?disclose=rationale', ada);
  release();
  expect((await removal).status).toBe(200);
  expect(exported.text).not.toContain('canary');
  expect(await verifyBundle(linesOf(exported.text), {})).not.toMatchObject({ verdict: 'tampered' });
});
