// A process that is killed between claim and outcome: the execution is recorded as unknown, and never handed out again.
import { createHash } from 'node:crypto';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabaseUri } from '../setup/databases.ts';
import { assertOk, buildDecision, PASSWORD } from '../setup/personas.ts';
import { sendRequest, toOutcome, type Answer } from '../setup/start-app.ts';
import { App } from './apps.ts';

const uri = createDatabaseUri();
let client: mongo.MongoClient;
let app: App;
beforeAll(async () => {
  client = await mongo.MongoClient.connect(uri);
  app = new App({ mongoUri: uri });
  await app.start();
});
afterAll(async () => {
  await app.kill();
  await client.db().dropDatabase();
  await client.close();
});

const call = (path: string, method: string, more: object): Promise<Answer> =>
  sendRequest(`${app.url}/api/v1/${path}`, method, more);

test('it is unknown after its lease, with its effect, until a person says what happened', async () => {
  const person = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
  const account = { body: { ...person, organizationName: 'Faults' } };
  const { token } = assertOk(await call('auth/register', 'POST', account)).body.data;
  const policy = {
    name: 'Payments',
    conditions: [],
    actions: [{ type: 'approve', config: { effect: 'pay:{order_id}' } }],
  };
  assertOk(await call('policies', 'POST', { token, body: policy }));
  const { key } = assertOk(await call('auth/keys', 'POST', { token, body: { name: 'bot' } })).body
    .data;
  const rawActionDigest = createHash('sha256').update('{"order_id":"7"}').digest('hex');
  const propose = async (): Promise<string> => {
    const body = buildDecision('bot', { outputDecision: { action: { order_id: '7' } } });
    return assertOk(await call('traces', 'POST', { key, body })).body.data.traceId;
  };
  const claim = (traceId: string): Promise<Answer> =>
    call(`traces/${traceId}/executions`, 'POST', {
      key,
      body: { rawActionDigest, leaseSeconds: 2 },
    });
  const traceId = await propose();
  const { executionId } = assertOk(await claim(traceId)).body.data;
  await app.kill();
  await app.start();
  const readState = async (): Promise<string> =>
    assertOk(await call(`traces/${traceId}/executions`, 'GET', { key })).body.data[0].state;
  await expect.poll(readState, { timeout: 150_000, interval: 200 }).toBe('unknown');
  expect(toOutcome(await claim(traceId))).toEqual([409, 'APPROVAL_USED']);
  const second = await propose();
  expect(toOutcome(await claim(second))).toEqual([409, 'EFFECT_RESERVED']);
  const path = `traces/${traceId}/executions/${executionId}/reconcile`;
  assertOk(await call(path, 'POST', { token, body: { outcome: 'failed' } }));
  expect((await claim(second)).status).toBe(201);
  const verified = await call('hash-chain/verify', 'POST', { token, body: {} });
  expect(verified.body.data).toMatchObject({ verified: true });
});
