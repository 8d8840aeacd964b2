// Promises: each answer says, signed, where its entry will stand; a rewritten chain is convicted by the answer alone.
import { expect, it } from 'vitest';
import { isPromised, parsePromise, isSignedBy, parseNote, parseVerifierKey } from '@assay/tlog';
import { toObjectId } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createWorkspaceKey } from '../../setup/personas.ts';
import { startApp } from '../../setup/start-app.ts';
import { postDecisions, SEALED_AT_ONCE, sealAll, warmPromises } from './log-steps.ts';

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);

async function readPromiseKey() {
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  return parseVerifierKey(body.promises[0])!;
}

it('every answer of a batch carries a promise of its own entry, in the log that is sealed later', async () => {
  await warmPromises(harness.app, ada);
  const answers = await postDecisions(harness.app, ada, 60);
  const key = await readPromiseKey();
  await sealAll(harness.app);
  const anchors = await harness.app.call('GET', '/api/v1/hash-chain/anchors', { token: ada.token });
  const notes = new Set<string>();
  for (const { body } of answers) {
    const { sequence, chainHash, promise } = body.data.hashChain;
    const note = parseNote(promise.note)!;
    expect(isSignedBy(note, key)).toBe(true);
    const { origin, root, before } = parsePromise(note.text)!;
    expect(isPromised({ sequence, chainHash }, promise, root)).toBe(true);
    expect(origin).toBe(anchors.body.data[0].origin);
    const lateMs = before.getTime() - new Date(body.data.createdAt).getTime();
    expect(lateMs).toBeGreaterThan(58_000);
    expect(lateMs).toBeLessThan(70_000);
    notes.add(promise.note);
  }
  expect(notes.size).toBeLessThanOrEqual(60);
  expect(anchors.body.data[0].treeSize).toBe(answers.at(-1)!.body.data.hashChain.sequence);
});

it('a repeated request gets the same promise while it is not due', async () => {
  const agent = await createAgent(harness.app, ada);
  const { key } = await createWorkspaceKey(harness.app, ada);
  const call = { key, body: buildDecision(agent.id), headers: { 'Idempotency-Key': 'once more' } };
  const first = assertOk(await harness.app.call('POST', '/api/v1/traces', call));
  const again = assertOk(await harness.app.call('POST', '/api/v1/traces', call));
  expect(again.body.data.hashChain).toEqual(first.body.data.hashChain);
  expect(first.body.data.hashChain.promise).toMatchObject({ index: 0, path: [] });
});

it('nothing is promised while the log is frozen, or off; decisions are answered all the same', async () => {
  const organizationId = toObjectId(ada.organizationId);
  const frozen = { at: new Date(), why: 'a test' };
  await harness.db
    .collection('logs')
    .updateOne({ organizationId, chain: 'ledger' }, { $set: { frozen } });
  for (const environment of [SEALED_AT_ONCE, { ASSAY_LOG: 'off' }]) {
    const other = await startApp(environment, { mongoUri: harness.mongoUri });
    const [answer] = await postDecisions(other, ada, 1);
    expect(answer!.body.data.hashChain).toMatchObject({ promise: null });
    await other.stop();
  }
});
