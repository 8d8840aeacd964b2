// Deliveries of a killed process: every event reaches its receiver once per id, and a stream shows every decision once.
import { mongo } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Step } from '../../src/ledger/probe.ts';
import { openReader } from '../api/traces/stream/event-reader.ts';
import { createDatabaseUri } from '../setup/databases.ts';
import { assertOk, PASSWORD } from '../setup/personas.ts';
import {
  startReceiver,
  verifyMessage,
  type Message,
  type Receiver,
} from '../setup/providers/receiver.ts';
import { sendRequest } from '../setup/start-app.ts';
import { App } from './apps.ts';
import { Load } from './load.ts';

const CLIENTS = 8;
const STREAM_KILLS = 20;
/** Longer than the lease of a delivery that a killed process began: the next process need not wait for its end. */
const LATER_MS = 70_000;
/** The transaction of a consumer that was killed holds its cursor until mongod ends it, after 60 seconds. */
const SOON = { timeout: 150_000, interval: 200 };

const uri = createDatabaseUri();
let client: mongo.MongoClient;
let receiver: Receiver;
let app: App;
let load: Load;
let token: string;
let secret: string;
beforeAll(async () => {
  client = await mongo.MongoClient.connect(uri);
  receiver = await startReceiver();
  app = new App({ mongoUri: uri, environment: { ASSAY_OUTBOUND_ALLOW: receiver.host } });
  await app.start();
  const call = async (path: string, body: object) =>
    assertOk(await sendRequest(`${app.url}/api/v1/${path}`, 'POST', { token, body })).body.data;
  const person = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
  ({ token } = await call('auth/register', { ...person, organizationName: 'Faults' }));
  for (const [name, type] of [
    ['refund', 'flag_for_review'],
    ['wire', 'block'],
  ]) {
    const conditions = [{ field: 'outputDecision.action', operator: 'equals', value: name }];
    await call('policies', { name, conditions, actions: [{ type }] });
  }
  const hook = { url: `${receiver.url}/events`, events: ['*'] };
  ({ signingSecret: secret } = await call('webhooks', hook));
  const { key: apiKey } = await call('auth/keys', { name: 'load' });
  const { _id: agentId } = await call('agents', { name: 'bot' });
  load = new Load({ apps: [app], apiKey, agentId, clients: CLIENTS });
});
afterAll(async () => {
  load.abandon();
  await app.kill();
  await receiver.close();
  await client.db().dropDatabase();
  await client.close();
});

const sealed = async (after = 0) =>
  client
    .db()
    .collection('ledger')
    .find({ kind: 'trace', sequence: { $gt: after } })
    .sort({ sequence: 1 })
    .toArray();

/** The messages of a receiver that deduplicates by id: the decision of each, by id. */
function received(): Map<string, string> {
  const byId = new Map<string, string>();
  for (const message of receiver.received) {
    const { data } = verifyMessage(message, secret) as { data: { traceId: string } };
    byId.set(message.headers['webhook-id'] as string, data.traceId);
  }
  return byId;
}

/** Checks that every sealed decision was delivered, each by one id. */
async function expectAllDelivered(): Promise<void> {
  const wanted = (await sealed()).map(({ traceId }) => traceId as string).sort();
  await expect.poll(() => new Set(received().values()).size, SOON).toBe(wanted.length);
  expect([...received().values()].sort()).toEqual(wanted);
}

async function decide(count: number): Promise<void> {
  load.start();
  await load.progress(count);
  await load.stop();
}

describe('deliveries', () => {
  beforeEach(() => receiver.answers.clear());

  test.each<Step>(['acknowledged', 'answered', 'effects-written', 'cursor-moved'])(
    'killed at %s, between the commit and the delivery',
    async (step) => {
      await app.kill();
      await app.start({ dieAt: { step, nth: 5 } });
      load.start();
      await app.ended();
      await app.start();
      await load.progress(30);
      await load.stop();
      await expectAllDelivered();
    },
  );

  test('are repeated under the same id when the process is killed while a receiver answers', async () => {
    const before = receiver.received.length;
    let isKilled = false;
    receiver.answers.set('/events', (response) => {
      if (isKilled || receiver.received.length < before + 10)
        return void response.writeHead(204).end();
      isKilled = true;
      void app.kill();
    });
    load.start();
    await app.ended();
    await app.start({ clockOffsetMs: LATER_MS });
    await load.progress(30);
    await load.stop();
    await expectAllDelivered();
    const idOf = ({ headers }: Message) => headers['webhook-id'];
    const lost = idOf(receiver.received[before + 9] as Message);
    const again = receiver.received.filter((message) => idOf(message) === lost);
    expect(again).toHaveLength(2);
    expect(new Set(again.map(({ text }) => text)).size).toBe(1);
  });
});

test(`a stream that reconnects after each of ${STREAM_KILLS} kills shows every decision once`, async () => {
  await decide(10);
  const from = (await sealed()).at(-1)?.sequence as number;
  const shown: number[] = [];
  const open = () =>
    openReader(`${app.url}/api/v1/traces/stream?token=${token}`, {
      'last-event-id': String(shown.at(-1) ?? from),
    });
  load.start();
  for (let kill = 0; kill < STREAM_KILLS; kill++) {
    const reader = await open();
    const wanted = 1 + Math.floor(Math.random() * 30);
    await expect.poll(() => reader.ids().length, SOON).toBeGreaterThanOrEqual(wanted);
    await app.kill();
    await expect.poll(() => reader.hasEnded(), SOON).toBe(true);
    shown.push(...reader.ids().map(Number));
    await app.start();
  }
  await load.stop();
  const newest = (await sealed()).at(-1)?.sequence as number;
  const reader = await open();
  await expect.poll(() => Number(reader.ids().at(-1) ?? shown.at(-1)), SOON).toBe(newest);
  reader.close();
  shown.push(...reader.ids().map(Number));
  expect(shown).toEqual((await sealed(from)).map(({ sequence }) => sequence as number));
});
