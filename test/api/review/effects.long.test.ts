// A policy declares an effect: of all actions that would bring it about, one at a time is claimed, and one succeeds.
// @module-tag long
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, type Owner } from '../../setup/personas.ts';
import { type Answer, startApp, type TestApp, toOutcome } from '../../setup/start-app.ts';

/** The next claim fails between its entry and what follows it. */
let failsAfterEntry = false;
const harness = useHarness(
  {},
  {
    probe(step) {
      if (step !== 'before-fold' || !failsAfterEntry) return;
      failsAfterEntry = false;
      throw new Error('the connection was lost');
    },
  },
);
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let other: TestApp;
let till: { id: string; key: string };
let clerk: { id: string; key: string };

async function declare(owner: Owner, config: object, tool = 'pay', type = 'approve') {
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }];
  const body = { name: tool, conditions, actions: [{ type, config }] };
  return app.call('POST', '/api/v1/policies', { token: owner.token, body });
}

beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
  [till, clerk] = [await createAgent(app, ada), await createAgent(app, ada)];
  for (const owner of [ada, eve]) assertOk(await declare(owner, { effect: 'pay:{order_id}' }));
  assertOk(await declare(ada, { effect: 'pay:{order_id}' }, 'refund', 'flag_for_review'));
  assertOk(await declare(ada, { singleUse: true }, 'wire'));
});
afterAll(() => other.stop());

const digest = (action: Json): string =>
  createHash('sha256').update(canonicalize(action)).digest('hex');
let orders = 0;
const createPayment = (order: Json = `order-${(orders += 1)}`, amount = 1) => ({
  tool: 'pay',
  arguments: { order_id: order, amount },
});

interface Proposed {
  traceId: string;
  reviewId: string;
  actionDigest: string;
  claimRequired: boolean;
}

async function propose(action: Json, by = till): Promise<Proposed> {
  const body = buildDecision(by.id, { outputDecision: { action } });
  return assertOk(await app.call('POST', '/api/v1/traces', { key: by.key, body })).body.data;
}

const claim = (traceId: string, body: object, by = till, on = app): Promise<Answer> =>
  on.call('POST', `/api/v1/traces/${traceId}/executions`, { key: by.key, body });

async function claimAction(action: Json, by = till): Promise<Answer> {
  const { traceId } = await propose(action, by);
  return claim(traceId, { rawActionDigest: digest(action) }, by);
}

const end = ({ body }: Answer, outcome: string): Promise<Answer> => {
  const { traceId, executionId } = body.data;
  const path = `/api/v1/traces/${traceId}/executions/${executionId}`;
  return app.call('PATCH', path, { key: till.key, body: { outcome } });
};

test('two agents never bring it about at the same time, nor one after the other', async () => {
  const action = createPayment();
  const first = assertOk(await claimAction(action));
  const held = await claimAction({ ...action, note: 'again' }, clerk);
  expect(toOutcome(held)).toEqual([409, 'EFFECT_RESERVED']);
  expect(held.body.data).toEqual({ state: 'claimed' });
  assertOk(await end(first, 'succeeded'));
  expect(toOutcome(await claimAction(action, clerk))).toEqual([409, 'EFFECT_DONE']);
  assertOk(await claimAction(createPayment()));
});

test('a failed one frees it, and an unknown one keeps it until a person says what happened', async () => {
  const action = createPayment();
  const first = assertOk(await claimAction(action));
  assertOk(await end(first, 'failed'));
  const second = assertOk(await claimAction(action));
  assertOk(await end(second, 'unknown'));
  const third = await claimAction(action);
  expect(toOutcome(third)).toEqual([409, 'EFFECT_RESERVED']);
  expect(third.body.data).toEqual({ state: 'unknown' });
  const { traceId, executionId } = second.body.data;
  const path = `/api/v1/traces/${traceId}/executions/${executionId}/reconcile`;
  const body = { outcome: 'failed', summary: 'Never left' };
  assertOk(await app.call('POST', path, { token: ada.token, body }));
  assertOk(await claimAction(action));
});

test('of many decisions on two instances one is claimed', { tags: ['long'] }, async () => {
  const action = createPayment();
  const proposed = await Promise.all(
    Array.from({ length: 24 }, (_, at) => propose({ ...action, at })),
  );
  const answers = await Promise.all(
    proposed.map(({ traceId }, at) =>
      claim(traceId, { rawActionDigest: digest({ ...action, at }) }, till, at % 2 ? app : other),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([201, ...Array.from({ length: 23 }, () => 409)]);
});

test('an effect is of the organisation, and of these arguments', async () => {
  const action = createPayment('7');
  assertOk(await claimAction(action));
  expect(toOutcome(await claimAction(createPayment(7)))).toEqual([409, 'EFFECT_RESERVED']);
  const stranger = await createAgent(app, eve);
  assertOk(await claimAction(action, stranger));
  assertOk(await claimAction(createPayment('8')));
});

test('a claim that is refused reserves nothing', async () => {
  const action = createPayment();
  const { traceId } = await propose(action);
  const wrong = { rawActionDigest: digest('x') };
  expect(toOutcome(await claim(traceId, wrong))).toEqual([403, 'APPROVAL_MISMATCH']);
  assertOk(await claimAction(action));
});

test('an action without the argument cannot be claimed', async () => {
  const action = { tool: 'pay', arguments: { amount: 1 } };
  expect(toOutcome(await claimAction(action))).toEqual([400, 'INVALID_OPERATION']);
});

test('the edits of an approval change the effect', async () => {
  const [asked, instead] = [createPayment(), createPayment()];
  const action = { ...asked, tool: 'refund' };
  const { traceId, reviewId, actionDigest } = await propose(action);
  const edits = { arguments: { order_id: instead.arguments.order_id } };
  const verdict = { decision: 'approve', actionDigest, edits };
  const path = `/api/v1/review-queue/${reviewId}/decision`;
  assertOk(await app.call('POST', path, { token: ada.token, body: verdict }));
  const edited = { ...action, arguments: { ...action.arguments, ...edits.arguments } };
  const body = { rawActionDigest: digest(action), editedActionDigest: digest(edited), action };
  assertOk(await claim(traceId, body));
  assertOk(await claimAction(asked));
  expect(toOutcome(await claimAction(instead))).toEqual([409, 'EFFECT_RESERVED']);
});

test('the answer says where a claim is required, and the chain shows the effect', async () => {
  const ask = async (tool: string) => (await propose({ ...createPayment(), tool })).claimRequired;
  expect([await ask('reply'), await ask('wire'), await ask('pay'), await ask('refund')]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  const { body } = assertOk(await claimAction(createPayment()));
  const { traceId } = body.data;
  const entries = await harness.db.collection('ledger').find({ traceId }).toArray();
  const [, claimed] = entries.map(({ view }) => JSON.parse(view));
  expect(Object.keys(claimed.commitments).sort()).toEqual(['effects', 'rawAction']);
  const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(verified.body.data).toMatchObject({ verified: true });
});

test('a claim that fails after its entry stands keeps its effect, whatever the columns say', async () => {
  const action = createPayment();
  failsAfterEntry = true;
  const failed = await claimAction(action);
  expect(failed.status).toBe(500);
  expect(toOutcome(await claimAction(action))).toEqual([409, 'EFFECT_RESERVED']);
  const effects = harness.db.collection('effects');
  const [newest] = await effects.find().sort({ _id: -1 }).toArray();
  const traceId = newest?.['traceId'] as string;
  // As if the entry were not folded yet when the job compares.
  const trace = harness.db.collection('ledger');
  const ofTrace = { traceId, kind: 'trace' };
  const execution = (await trace.findOne(ofTrace))?.['execution'];
  await effects.updateOne({ traceId }, { $set: { checkedAt: new Date(Date.now() - 120_000) } });
  await trace.updateOne(ofTrace, { $unset: { execution: 1 } });
  await app.instance.runJobsOnce();
  expect(toOutcome(await claimAction(action))).toEqual([409, 'EFFECT_RESERVED']);
  await trace.updateOne(ofTrace, { $set: { execution } });
});

test('an action with more effects than a claim reserves is not claimed', async () => {
  const crowded = 'crowd';
  for (let index = 0; index < 9; index += 1)
    assertOk(await declare(ada, { effect: `crowd${index}:{order_id}` }, crowded));
  const action = { ...createPayment(), tool: crowded };
  const { traceId } = await propose(action);
  const answer = await claim(traceId, { rawActionDigest: digest(action) });
  expect(toOutcome(answer)).toEqual([400, 'INVALID_OPERATION']);
  expect(answer.body.error).toContain('crowd8:{order_id}');
  expect(await harness.db.collection('effects').countDocuments({ traceId })).toBe(0);
});

test('what a crash left between reservation and claim is given back, and between outcome and settling settled', async () => {
  const [left, ended] = [createPayment(), createPayment()];
  const first = assertOk(await claimAction(left));
  const second = assertOk(await claimAction(ended));
  const effects = harness.db.collection('effects');
  const long = new Date(Date.now() - 120_000);
  const byTrace = ({ body }: Answer) => ({ traceId: body.data.traceId as string });
  const { ObjectId } = (await import('mongoose')).default.mongo;
  const strange = { executionId: new ObjectId(), checkedAt: long };
  await effects.updateOne(byTrace(first), { $set: strange });
  const { ...before } = await effects.findOne(byTrace(second));
  assertOk(await end(second, 'failed'));
  await effects.insertOne({ ...before, checkedAt: long });
  await app.instance.runJobsOnce();
  expect(await effects.countDocuments({ $or: [byTrace(first), byTrace(second)] })).toBe(0);
});

test('verification finds two live claims of one effect', async () => {
  const verify = async (): Promise<Answer> =>
    app.call('POST', '/api/v1/hash-chain/verify', { token: eve.token, body: {} });
  const desk = await createAgent(app, eve);
  const action = createPayment();
  const first = assertOk(await claimAction(action, desk)).body.data;
  const place = `/api/v1/traces/${first.traceId}/executions/${first.executionId}`;
  const body = { outcome: 'failed' };
  assertOk(await app.call('PATCH', place, { key: desk.key, body }));
  const second = assertOk(await claimAction(action, desk)).body.data;
  expect((await verify()).body.data).toMatchObject({ verified: true });
  // As if nothing had held the effect.
  await harness.db.collection('effects').deleteMany({ traceId: second.traceId });
  const { sequence } = assertOk(await claimAction(action, desk)).body.data.receipts.claim;
  expect((await verify()).body.data).toMatchObject({
    verified: false,
    brokenAtSequence: sequence,
    brokenDetail: `an effect is claimed a second time: the claim at ${second.receipts.claim.sequence} had not failed`,
  });
});

test.each([{ effect: 'pay' }, { effect: 7 }, { singleUse: 'yes' }, { effect: 'pay:{}' }])(
  'the config %j is refused',
  async (config) => {
    expect(toOutcome(await declare(ada, config, 'none'))).toEqual([400, 'VALIDATION_ERROR']);
  },
);
