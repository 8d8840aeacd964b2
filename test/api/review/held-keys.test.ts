// The idempotency key of a held decision: it lives until a day after the end of the hold.
import { beforeEach, expect, test } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import { releaseExpiredIdempotencyKeys } from '../../../src/ledger/entry-updates.ts';
import { useHarness } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  type Owner,
} from '../../setup/personas.ts';
import { toObjectId } from '../../setup/harness.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { type Answer, startApp, type TestApp } from '../../setup/start-app.ts';

const HOUR = 3_600_000;
const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
let till: { id: string; key: string };
let body: object;
let traceId: string;
let owner: Owner;

const post = (on: TestApp = app): Promise<Answer> =>
  on.call('POST', '/api/v1/traces', {
    key: till.key,
    body,
    headers: { 'idempotency-key': 'refund of order 7' },
  });
const readTraceId = ({ status, body: { data } }: Answer) => [status, data.traceId];
const withdraw = async (): Promise<void> => {
  const path = `/api/v1/traces/${traceId}/withdraw`;
  assertOk(await app.call('POST', path, { key: till.key, body: {} }));
};
const releaseKeys = (): Promise<void> =>
  app.instance.platform.ledgerMaintenance.releaseIdempotencyKeys();
const hasKey = async (): Promise<boolean> => {
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  return stored?.['idempotencyKey'] !== undefined;
};

beforeEach(async () => {
  owner = await createOwner(app);
  till = await createAgent(app, owner);
  const policy = { name: 'All', conditions: [], actions: [{ type: 'flag_for_review' }] };
  assertOk(await app.call('POST', '/api/v1/policies', { token: owner.token, body: policy }));
  body = buildDecision(till.id);
  const answer = await post();
  expect(answer.status).toBe(202);
  ({ traceId } = answer.body.data);
});

test.each([
  ['from memory', () => app, false],
  ['on an instance that starts later', () => null, false],
  ['after the maintenance of keys', () => null, true],
])(
  'a retry after a weekend finds the held decision, %s',
  { tags: ['long'] },
  async (_, getApp, isMaintained) => {
    clock.aheadMs += 60 * HOUR;
    if (isMaintained) await releaseKeys();
    const on = getApp() ?? (await startApp({}, { mongoUri: harness.mongoUri, clock }));
    expect(readTraceId(await post(on))).toEqual([202, traceId]);
    if (on !== app) await on.stop();
  },
);

test('the key lives for a day after the end, and is free then', async () => {
  clock.aheadMs += 60 * HOUR;
  await withdraw();
  clock.aheadMs += 23 * HOUR;
  await releaseKeys();
  expect(readTraceId(await post())).toEqual([202, traceId]);
  expect(await hasKey()).toBe(true);
  clock.aheadMs += 2 * HOUR;
  const again = await post();
  expect(again.status).toBe(202);
  expect(again.body.data.traceId).not.toBe(traceId);
});

test('maintenance finds an ended hold by its end, though the decision is older than what it reads', async () => {
  const ledger = harness.db.collection('ledger');
  const stored = await ledger.findOne({ traceId, kind: 'trace' });
  await ledger.deleteOne({ _id: stored?._id as never });
  await ledger.insertOne({ ...stored, _id: toObjectId('0123456789abcdef01234567') });
  clock.aheadMs += 60 * HOUR;
  await withdraw();
  const release = () => {
    const due = { from: new Date(), before: new Date(clock.now().getTime() - 24 * HOUR) };
    return releaseExpiredIdempotencyKeys(harness.db as never, DECISIONS, due);
  };
  expect([await release(), await hasKey()]).toEqual([0, true]);
  clock.aheadMs += 25 * HOUR;
  expect([await release(), await hasKey()]).toEqual([1, false]);
});

test('an end within the first day does not shorten the life of the key', async () => {
  await withdraw();
  clock.aheadMs += 23 * HOUR;
  expect(readTraceId(await post())).toEqual([202, traceId]);
});

test('a deleted decision that was held frees its key after a day', async () => {
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  const ids = [String(stored?._id)];
  const call = { token: owner.token, body: { ids } };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', call));
  expect((await post()).status).toBe(410);
  clock.aheadMs += 25 * HOUR;
  const again = await post();
  expect(again.status).toBe(202);
  expect(again.body.data.traceId).not.toBe(traceId);
});
