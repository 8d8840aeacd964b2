// Two instances with two workers each spend one limit, and are killed all the time: the sum is exact, and nothing is refused below it.
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Spent } from '../../src/domain/budgets/spending.ts';
import { createDatabaseUri } from '../setup/databases.ts';
import { assertOk, buildDecision, PASSWORD } from '../setup/personas.ts';
import { type Answer, sendRequest } from '../setup/start-app.ts';
import { App } from './apps.ts';

const RESERVATIONS = 10_000;
const KILLS = Number(process.env.ASSAY_TEST_KILLS ?? 200);
const CLIENTS = 32;
/** Fewer than are asked for. */
const MOST = 8_000;

const uri = createDatabaseUri();
const apps = [0, 1].map(() => new App({ mongoUri: uri, workers: 2 }));
let client: mongo.MongoClient;
beforeAll(async () => {
  client = await mongo.MongoClient.connect(uri);
  await Promise.all(apps.map((app) => app.start()));
}, 60_000);
afterAll(async () => {
  await Promise.all(apps.map((app) => app.kill()));
  await client.db().dropDatabase();
  await client.close();
});

const call = (app: App, path: string, more: object): Promise<Answer> =>
  sendRequest(`${app.url}/api/v1/${path}`, 'POST', more);

/** Asks any instance until one answers: the same key is one decision, however often it is sent. */
async function insist(key: string, name: string, at: number): Promise<number> {
  const body = buildDecision('bot', { outputDecision: { action: { tool: 'pay', at } } });
  for (let attempt = at; ; attempt++) {
    const headers = { 'idempotency-key': name };
    const app = apps[attempt % apps.length] as App;
    const answer = app.url
      ? await call(app, 'traces', { key, headers, body }).catch(() => null)
      : null;
    if (answer && answer.status < 500 && answer.status !== 429) return answer.status;
    await sleep(20);
  }
}

test('what was approved is what is spent, to the last unit', { timeout: 1_800_000 }, async () => {
  const [first] = apps as [App, App];
  const person = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
  const account = { body: { ...person, organizationName: 'Faults' } };
  const { token } = assertOk(await call(first, 'auth/register', account)).body.data;
  const limit = { of: 'acts', per: 'organization', window: 'ever', most: MOST };
  const policy = {
    name: 'Payments',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'pay' }],
    actions: [{ type: 'block', config: { limit } }],
  };
  assertOk(await call(first, 'policies', { token, body: policy }));
  const named = { token, body: { name: 'bot' } };
  const { key } = assertOk(await call(first, 'auth/keys', named)).body.data;
  let next = 0;
  const statuses: number[] = [];
  const spend = async (): Promise<void> => {
    while (next < RESERVATIONS) {
      const at = next++;
      statuses.push(await insist(key, `pay-${at}`, at));
    }
  };
  const spending = Promise.all(Array.from({ length: CLIENTS }, spend));
  let kills = 0;
  const kill = async (app: App): Promise<void> => {
    while (kills < KILLS && statuses.length < RESERVATIONS) {
      await sleep(Math.random() * 600);
      kills++;
      await app.kill();
      await app.start();
    }
  };
  await Promise.all([...apps.map(kill), spending]);
  const approved = statuses.filter((status) => status === 201).length;
  expect([approved, statuses.filter((status) => status === 403).length]).toEqual([
    MOST,
    RESERVATIONS - MOST,
  ]);
  const newest = await client
    .db()
    .collection<{ spent: Spent[] }>('ledger')
    .findOne({ 'spent.key': { $exists: true } }, { sort: { sequence: -1 } });
  expect(newest?.spent[0]?.slots).toEqual([[0, String(MOST), String(MOST)]]);
  const verified = await call(first, 'hash-chain/verify', { token, body: {} });
  expect(verified.body.data).toMatchObject({ verified: true });
  expect(kills).toBeGreaterThan(KILLS / 4);
});
