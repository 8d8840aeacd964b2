// A promise that comes back is kept, not due or broken: said by the log, with the proof, to those who were promised.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseNote, splitHashes, hashLeaf } from '@assay/tlog';
import { createHeadsLeaf } from '../../../src/domain/log/heads-leaf.ts';
import { toObjectId } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';
import { expectProven, holdJobs, postDecisions, SEALED_AT_ONCE, sealAll } from './log-steps.ts';

let now = Date.now();
const harness = useHarness(SEALED_AT_ONCE, { clock: { now: () => new Date(now) } });
const ada = useOwner(harness);
const bob = useOwner(harness);

/** What an answer holds of its entry, as its caller keeps it. */
// oxlint-disable-next-line typescript/no-explicit-any -- an answer's body
type Kept = any;

/** Posts decisions until one is promised: that of an organisation's first batch may come too late. */
async function createPromised(owner = ada): Promise<Kept> {
  for (;;) {
    const [answer] = await postDecisions(harness.app, owner, 1);
    if (answer!.body.data.hashChain.promise !== null) return answer!.body.data.hashChain;
  }
}
const ask = (body: Kept, options: object = { token: ada.token }) =>
  harness.app.call('POST', '/api/v1/hash-chain/promise/check', { ...options, body });
const check = async (kept: Kept, { token } = ada): Promise<Kept> =>
  assertOk(await ask(kept, { token })).body.data;
const passMinutes = (minutes: number) => (now += minutes * 60_000);
const findLog = async () => {
  const organizationId = toObjectId(ada.organizationId);
  return (await harness.db.collection('logs').findOne({ organizationId, chain: 'ledger' }))!;
};

it('a promise is not due at first, is kept once sealed, and broken when nothing was sealed in time', async () => {
  await holdJobs(harness, 'log.seal');
  const first = await createPromised();
  const early = await check(first);
  expect(early).toMatchObject({ verdict: 'not-due', reason: null, proof: null, newest: null });
  await sealAll(harness.app);
  const kept = await check(first);
  expect(kept).toMatchObject({
    verdict: 'kept',
    reason: null,
    foundChainHash: first.chainHash,
    newest: { treeSize: first.sequence },
  });
  await expectProven(harness.app, kept.proof, first.chainHash);
  expect(kept.proof.heads.treeSize).toBeGreaterThan(0);
  expect(kept.newest.checkpoint).toBe(kept.proof.checkpoint);

  const second = await createPromised();
  const waiting = await check(second);
  expect(waiting).toMatchObject({ verdict: 'not-due', newest: { treeSize: first.sequence } });
  passMinutes(2);
  expect(await check(second)).toMatchObject({ verdict: 'broken', reason: 'not-in-log' });
  await sealAll(harness.app);
  const late = await check(second);
  expect(late).toMatchObject({ verdict: 'broken', reason: 'too-late' });
  expect(Date.parse(late.anchoredAt)).toBeGreaterThan(Date.parse(late.before));
  await expectProven(harness.app, late.proof, second.chainHash);
  expect(await check(first)).toMatchObject({ verdict: 'kept' });
});

it('where the log has another entry, the answer shows it with its proof', async () => {
  const kept = await createPromised(bob);
  const organizationId = toObjectId(bob.organizationId);
  const ledger = harness.db.collection('ledger');
  const where = { organizationId, sequence: kept.sequence };
  const row = (await ledger.findOne(where))!;
  // The operator writes another entry in its place before it is sealed.
  const chainHash = createHash('sha256').update('another entry').digest('hex');
  await ledger.updateOne(where, { $set: { chainHash } });
  await sealAll(harness.app);
  const broken = await check(kept, bob);
  expect(broken).toMatchObject({
    verdict: 'broken',
    reason: 'other-entry',
    foundChainHash: chainHash,
  });
  await expectProven(harness.app, broken.proof, chainHash);
  // What was signed cannot be taken back.
  await ledger.updateOne(where, { $set: { chainHash: row.chainHash } });
  expect(await check(kept, bob)).toMatchObject({ reason: 'other-entry', foundChainHash: null });
  await ledger.updateOne(where, { $set: { chainHash } });
});

it('a stored log that was altered says so, and is no proof of anything', async () => {
  const promised = await createPromised();
  await sealAll(harness.app);
  const { _id, levels } = await findLog();
  const logs = harness.db.collection('logs');
  const altered = splitHashes(levels[0].buffer);
  altered[0] = hashLeaf(Buffer.from('another'));
  await logs.updateOne({ _id }, { $set: { 'levels.0': Buffer.concat(altered) } });
  const found = { verdict: 'broken', reason: 'log-altered', proof: null };
  expect(await check(promised)).toMatchObject(found);
  await logs.updateOne({ _id }, { $set: { levels: [] } });
  expect(await check(promised)).toMatchObject(found);
  await logs.updateOne({ _id }, { $set: { levels } });
  expect(await check(promised)).toMatchObject({ verdict: 'kept' });
});

it('only what this installation promised of an entry is looked at, and only for its organisation', async () => {
  const kept = await createPromised();
  const { promise } = kept;
  const refuse = async (body: object, words: string) => {
    const answer = await ask(body);
    expect(toOutcome(answer)).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.text).toContain(words);
  };
  await refuse({ ...kept, sequence: kept.sequence + 1 }, 'about another entry');
  await refuse({ ...kept, chainHash: 'ab'.repeat(32) }, 'about another entry');
  await refuse({ ...kept, promise: { ...promise, index: 1 } }, 'about another entry');
  await refuse({ ...kept, promise: { ...promise, path: ['AAAA'] } }, 'promise.path');
  await refuse({ ...kept, promise: null }, 'promise');
  const later = promise.note.replace(/before 20/, 'before 30');
  await refuse({ ...kept, promise: { ...promise, note: later } }, 'no key of this installation');
  const [, origin] = promise.note.split('\n');
  const elsewhere = promise.note.replace(origin, `${origin}0`);
  await refuse({ ...kept, promise: { ...promise, note: elsewhere } }, 'no key');
  const { note } = (await harness.db.collection('log_heads').findOne({}))!;
  await refuse({ ...kept, promise: { ...promise, note } }, 'must be the note as answered');
  expect(toOutcome(await ask(kept, { token: bob.token }))).toEqual([404, 'NOT_FOUND']);
  const { key } = await createWorkspaceKey(harness.app, ada);
  expect(assertOk(await ask(kept, { key })).body.data.verdict).toBe('not-due');
});

it('a leaf of the heads log leads to the text of its checkpoint, by the id of the log alone', async () => {
  await sealAll(harness.app);
  const { _id, origin, organizationId } = await findLog();
  const logId = String(_id);
  const heads = await harness.db.collection('log_heads').find({ organizationId, logId }).toArray();
  expect(heads.length).toBeGreaterThan(2);
  for (const { note, headsIndex } of heads) {
    const { text } = parseNote(note)!;
    const digest = createHash('sha256').update(text).digest('hex');
    const answer = await harness.app.call('GET', `/log/${logId}/head/${digest}`);
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const leaf = await harness.db.collection('heads_leaves').findOne({ _id: headsIndex });
    expect(Buffer.from(leaf!.data.buffer)).toEqual(createHeadsLeaf(origin, text));
  }
  const digest = createHash('sha256').update(parseNote(heads[0]!.note)!.text).digest('hex');
  const { promise } = await createPromised(bob);
  const otherId = promise.note.split('\n')[1].split('/').at(-1);
  for (const path of [
    `/log/${otherId}/head/${digest}`,
    `/log/heads/head/${digest}`,
    `/log/${'0'.repeat(32)}/head/${digest}`,
    `/log/${logId}/head/${digest.toUpperCase()}`,
    `/log/${logId}/head/${digest.slice(1)}`,
    `/log/${logId}/head/${'0'.repeat(64)}`,
  ])
    expect(toOutcome(await harness.app.call('GET', path)), path).toEqual([404, 'NOT_FOUND']);
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  expect(body.endpoints).toMatchObject({
    head: '/log/{logId}/head/{sha256}',
    promiseCheck: '/api/v1/hash-chain/promise/check',
  });
  expect(body.hasTimeStamps).toBe(false);
});
