// An instance is stopped between its reservation of an effect and its entry, and wakes when another has given it back.
// @module-tag long
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import type { Step } from '../../../src/ledger/probe.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';
import { type Answer, NO_JOBS, startApp, type TestApp, toOutcome } from '../../setup/start-app.ts';

/**
 * Where the next append on the first instance stops, until it is woken; null: nowhere. It appends claims alone: its jobs
 * do not run, or it would at any later moment append the audit entries of what `other` was asked, and stop at these.
 */
let stop: { at: Step; reached: () => void; woken: Promise<void> } | null = null;
const harness = useHarness(
  {},
  {
    jobTimer: NO_JOBS,
    probe(step) {
      if (step !== stop?.at) return;
      const { reached, woken } = stop;
      stop = null;
      reached();
      return woken;
    },
  },
);
const { app } = harness;
const ada = useOwner(harness);
let other: TestApp;
let till: { id: string; key: string };
beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
  till = await createAgent(other, ada);
  const actions = ['pay', 'note'].map((kind) => ({
    type: 'approve',
    config: { effect: `${kind}:{order_id}` },
  }));
  for (const [at, action] of actions.entries()) {
    const body = { name: `Effects ${at}`, conditions: [], actions: [action] };
    assertOk(await other.call('POST', '/api/v1/policies', { token: ada.token, body }));
  }
});
afterAll(() => other.stop());
/** Wakes what a test that failed has left asleep: its request would wait until it times out. */
let wakeLeft = (): void => undefined;
afterEach(async () => {
  stop = null;
  wakeLeft();
  const verified = await other.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(verified.body.data).toMatchObject({ verified: true });
});

let orders = 0;
const createAction = () => ({ order_id: `order-${(orders += 1)}` });

async function propose(action: object): Promise<string> {
  const body = buildDecision(till.id, { outputDecision: { action } });
  return assertOk(await other.call('POST', '/api/v1/traces', { key: till.key, body })).body.data
    .traceId;
}

const claim = (on: TestApp, traceId: string, action: object): Promise<Answer> =>
  on.call('POST', `/api/v1/traces/${traceId}/executions`, {
    key: till.key,
    body: {
      rawActionDigest: createHash('sha256')
        .update(canonicalize(action as never))
        .digest('hex'),
    },
  });

/** Claims on the first instance, which is stopped at that step; the returned function wakes it. */
async function stopClaim(
  at: Step,
  traceId: string,
  action: object,
): Promise<() => Promise<Answer>> {
  let wake = (): void => undefined;
  const woken = new Promise<void>((resolve) => (wake = resolve));
  wakeLeft = wake;
  const reached = new Promise<void>((resolve) => (stop = { at, reached: resolve, woken }));
  const answer = claim(app, traceId, action);
  await reached;
  return () => {
    wake();
    return answer;
  };
}

/** As if a minute had passed since they were made. */
async function ageReservations(traceId: string): Promise<void> {
  const checkedAt = new Date(Date.now() - 120_000);
  await harness.db.collection('effects').updateMany({ traceId }, { $set: { checkedAt } });
}

const countClaims = async (...traceIds: string[]): Promise<number> =>
  harness.db.collection('ledger').countDocuments({
    traceId: { $in: traceIds },
    kind: 'execution',
  });

describe.each<Step>(['queued', 'sealed', 'before-insert'])('stopped at %s', (at) => {
  test('its effect is claimed elsewhere, and not by it', async () => {
    const action = createAction();
    const [first, second] = [await propose(action), await propose({ ...action, again: true })];
    const wake = await stopClaim(at, first, action);
    await ageReservations(first);
    await other.instance.runJobsOnce();
    assertOk(await claim(other, second, { ...action, again: true }));
    expect(toOutcome(await wake())).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await countClaims(first, second)).toBe(1);
    expect(toOutcome(await claim(app, first, action))).toEqual([409, 'EFFECT_RESERVED']);
  });

  test('no other claim took its effect: the decision may be claimed again', async () => {
    const action = createAction();
    const first = await propose(action);
    const wake = await stopClaim(at, first, action);
    await ageReservations(first);
    await other.instance.runJobsOnce();
    expect(toOutcome(await wake())).toEqual([503, 'SERVICE_UNAVAILABLE']);
    assertOk(await claim(app, first, action));
    expect(await countClaims(first)).toBe(1);
  });
});

// An insertion on a head that `other` has moved is tried again: an entry stands once it is acknowledged.
test('stopped once its entry stands, it keeps its effect', { tags: ['long'] }, async () => {
  const action = createAction();
  const [first, second] = [await propose(action), await propose({ ...action, again: true })];
  const wake = await stopClaim('acknowledged', first, action);
  await ageReservations(first);
  await other.instance.runJobsOnce();
  const refused = await claim(other, second, { ...action, again: true });
  expect(toOutcome(refused)).toEqual([409, 'EFFECT_RESERVED']);
  assertOk(await wake());
});
