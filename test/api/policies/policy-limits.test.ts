// Limits of policies hold also when many requests come at the same time (decisions: policies of a workspace, approvals, regression tests, replays).
import { expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const AT_ONCE = 8;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

const policy = {
  name: 'Refunds',
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
  actions: [{ type: 'flag_for_review' }],
};
const post = (below: string, body: object): Promise<Answer> =>
  app.call('POST', path + below, { token: ada.token, body });

/** Sends the same request many times at once; returns the number accepted, and the codes of the others. */
async function atOnce(send: () => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, send));
  const refused = answers.filter(({ status }) => status >= 300);
  const codes = new Set(refused.map((answer) => toOutcome(answer).join(' ')));
  return { made: AT_ONCE - refused.length, codes: [...codes] };
}
const FULL = ['400 INVALID_OPERATION'];

/** Repeats the only document of a collection, so that `left` more are allowed. */
async function fill(collection: string, { limit, left }: { limit: number; left: number }) {
  const rows = harness.db.collection(collection);
  const [one] = await rows.find({ organizationId: toObjectId(ada.organizationId) }).toArray();
  const copies = Array.from({ length: limit - left - 1 }, () =>
    Object.assign({}, one, { _id: toObjectId(generateHex(12)) }),
  );
  await rows.insertMany(copies);
}

/** Holds the job's lease like another instance, so that no replay ends during the test. */
async function holdReplays(): Promise<void> {
  const until = new Date(Date.now() + 60_000);
  const held = { $set: { holder: 'another instance', until } };
  const leases = harness.db.collection<{ _id: string }>('leases');
  await leases.updateOne({ _id: 'job:policies.replay' }, held, { upsert: true });
}

test('limits running replays', { tags: ['long'] }, async () => {
  await holdReplays();
  const begin = (): Promise<Answer> => post('/_new/replay', { policy });
  expect(await atOnce(begin)).toEqual({ made: 5, codes: FULL });
});

test('limits the enabled policies of a workspace', { tags: ['long'] }, async () => {
  assertOk(await post('', policy));
  await fill('policies', { limit: 1000, left: 2 });
  expect(await atOnce(() => post('', policy))).toEqual({ made: 2, codes: FULL });
});

test('limits the regression tests of a policy', { tags: ['long'] }, async () => {
  const { _id } = assertOk(await post('', Object.assign({ enabled: false }, policy))).body.data;
  const add = (): Promise<Answer> =>
    post(`/${_id}/tests`, { name: 'One', fixture: {}, expected: 'approve' });
  assertOk(await add());
  await fill('policy_tests', { limit: 50, left: 2 });
  expect(await atOnce(add)).toEqual({ made: 2, codes: FULL });
});

test('limits open approvals', async () => {
  const open = (): Promise<Answer> => post('/approvals', { policy });
  assertOk(await open());
  await fill('policy_approvals', { limit: 200, left: 2 });
  expect(await atOnce(open)).toEqual({ made: 2, codes: FULL });
});
