// Processes that are stopped anywhere between a reservation or lease and its write, overtaken, and woken: once is once.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import type { Step } from '../../src/ledger/probe.ts';
import { EPOCH_STEPS, type EpochStep } from '../../src/platform/key-store/epochs/epochs.ts';
import { type Chance, seeded } from '../ledger/random.ts';
import { createDatabaseUri } from '../setup/databases.ts';
import { assertOk } from '../setup/personas.ts';
import { type Answer, sendRequest } from '../setup/start-app.ts';
import { App } from './apps.ts';
import { registerSealed, SEALING } from './sealing.ts';

/** `ASSAY_TEST_POINTS` overrides the number of stops, `ASSAY_TEST_SEED` the first seed. */
const POINTS = Number(process.env.ASSAY_TEST_POINTS ?? 200);
const SEED = Number(process.env.ASSAY_TEST_SEED ?? 1);
/** Another process may wait for a transaction of the one that is stopped: then that one is woken first. */
const OVERTAKEN_MS = 3_000;
const LONG_AGO_MS = 24 * 3600_000;

const uri = createDatabaseUri();
let client: mongo.MongoClient;
let folder: string;
/** The process that is stopped, and the one that overtakes it. */
let sleeper: App;
let other: App;
let ada: Awaited<ReturnType<typeof registerSealed>>;
beforeAll(async () => {
  client = await mongo.MongoClient.connect(uri);
  folder = await mkdtemp(join(tmpdir(), 'assay-stops-'));
  const environment = {
    ...SEALING,
    ASSAY_ERASURE_CUSTODIAN: 'file',
    ASSAY_ERASURE_CUSTODIAN_FOLDER: folder,
    ASSAY_ERASURE_ROLL_MINUTES: '0',
  };
  const orders = { mongoUri: uri, workers: 1, environment };
  [sleeper, other] = [new App(orders), new App(orders)];
  await other.start();
  ada = await registerSealed(other.url as string);
  await sleeper.start();
  await declare('pay', { type: 'approve', config: { effect: 'pay:{order_id}' } });
  await declare('wire', { type: 'flag_for_review', config: {} });
});
afterAll(async () => {
  sleeper.wake();
  await Promise.all([sleeper.kill(), other.kill()]);
  await client.db().dropDatabase();
  await client.db(`${client.options.dbName}-keys`).dropDatabase();
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (on: App, method: string, path: string, more: object): Promise<Answer> =>
  sendRequest(`${on.url}/api/v1/${path}`, method, more);
const asAda = (on: App, method: string, path: string, body?: object): Promise<Answer> =>
  call(on, method, path, { token: ada.token, ...(body && { body }) });
const asBot = (on: App, method: string, path: string, body?: object): Promise<Answer> =>
  call(on, method, path, { key: ada.apiKey, ...(body && { body }) });

async function declare(tool: string, action: object): Promise<void> {
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }];
  assertOk(await asAda(other, 'POST', 'policies', { name: tool, conditions, actions: [action] }));
}

let count = 0;
const createAction = (tool: string) => ({ tool, order_id: `order-${(count += 1)}` });

async function propose(action: object) {
  const body = {
    agentId: ada.agentId,
    inputContext: { prompt: 'Carry it out?' },
    outputDecision: { action, rationale: 'It was asked for.' },
  };
  return assertOk(await asBot(other, 'POST', 'traces', body)).body.data as {
    traceId: string;
    reviewId: string;
    actionDigest: string;
  };
}

function claim(on: App, traceId: string, action: object): Promise<Answer> {
  const text = canonicalize(action as never);
  const rawActionDigest = createHash('sha256').update(text).digest('hex');
  return asBot(on, 'POST', `traces/${traceId}/executions`, { rawActionDigest });
}

const db = () => client.db();
const entriesOf = async (traceId: string): Promise<{ kind: string; state: string | null }[]> => {
  const found = await db().collection('ledger').find({ traceId }).sort({ sequence: 1 }).toArray();
  return found.map(({ kind, view }) => ({
    kind: kind as string,
    state: (JSON.parse(view as string) as { state?: string }).state ?? null,
  }));
};

/** As if all that is held had been held for a day; the stopped process cannot know. */
async function ageHeld(): Promise<void> {
  const long = new Date(Date.now() - LONG_AGO_MS);
  await db()
    .collection('effects')
    .updateMany({}, { $set: { checkedAt: long } });
  const executing = { status: 'executing' };
  await db()
    .collection('erasures')
    .updateMany(executing, { $set: { executingSince: long } });
  const claimed = { status: 'pending', claim: { $exists: true } };
  await db()
    .collection('outbox')
    .updateMany(claimed, { $set: { dueAt: long } });
}

/** What is held is given away. */
async function overtake(): Promise<void> {
  await ageHeld();
  await Promise.race([other.runJobs(), sleep(OVERTAKEN_MS)]);
}

/** One point: work on the first process, which is stopped, and what the other one does before it wakes. */
interface Act {
  stops: readonly (Step | EpochStep)[];
  run(
    at: (work: () => Promise<Answer | void>, overtaking: () => Promise<void>) => Promise<Answer>,
  ): Promise<void>;
}

const APPEND_STEPS = [
  'queued',
  'sealed',
  'before-insert',
  'inserted',
  'acknowledged',
  'before-fold',
  'folded',
] as const;

/** An effect is reserved, and then claimed. */
const effect: Act = {
  stops: APPEND_STEPS,
  async run(at) {
    const [action, again] = [createAction('pay'), { ...createAction('pay') }];
    again.order_id = action.order_id;
    const [first, second] = [await propose(action), await propose({ ...again, again: 1 })];
    let overtaker: Answer | null = null;
    const sleepers = await at(
      () => claim(sleeper, first.traceId, action),
      async () => {
        await overtake();
        overtaker = await claim(other, second.traceId, { ...again, again: 1 });
      },
    );
    const claimed = [sleepers, overtaker as Answer | null].filter((one) => one?.status === 201);
    const entries = [...(await entriesOf(first.traceId)), ...(await entriesOf(second.traceId))];
    expect(entries.filter(({ kind }) => kind === 'execution').length).toBeLessThanOrEqual(1);
    expect(claimed.length).toBeLessThanOrEqual(1);
  },
};

/** An execution ends, and its effect is settled; before that it ends otherwise. */
const execution: Act = {
  stops: APPEND_STEPS,
  async run(at) {
    const action = createAction('pay');
    const { traceId } = await propose(action);
    const { executionId } = assertOk(await claim(other, traceId, action)).body.data;
    const path = `traces/${traceId}/executions/${executionId}`;
    await at(
      () => asBot(sleeper, 'PATCH', path, { outcome: 'succeeded' }),
      async () => {
        await asBot(other, 'PATCH', path, { outcome: 'failed' });
        await overtake();
      },
    );
    const states = (await entriesOf(traceId)).flatMap(({ state }) => state ?? []);
    expect(states).toHaveLength(2);
    await ageHeld();
    await other.runJobs();
    const next = await propose({ ...action, again: 1 });
    const { status } = await claim(other, next.traceId, { ...action, again: 1 });
    expect(status).toBe(states[1] === 'failed' ? 201 : 409);
  },
};

/** A held decision is approved; before that it is rejected. */
const verdict: Act = {
  stops: APPEND_STEPS,
  async run(at) {
    const { traceId, reviewId, actionDigest } = await propose(createAction('wire'));
    const path = `review-queue/${reviewId}/decision`;
    const answers: Answer[] = [];
    answers.push(
      await at(
        () => asAda(sleeper, 'POST', path, { decision: 'approve', actionDigest }),
        async () => {
          const body = { decision: 'reject', reason: 'No', actionDigest };
          answers.push(await asAda(other, 'POST', path, body));
          await overtake();
        },
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await entriesOf(traceId)).map(({ kind }) => kind)).toEqual(['trace', 'review']);
  },
};

async function acknowledge(traceIds: string[]) {
  const body = { traceIds, reason: 'asked for' };
  const { data } = assertOk(await asAda(other, 'POST', 'erasure/acknowledge', body)).body;
  const { acknowledgementId, impactDigest } = data as Record<string, string>;
  return { acknowledgementId: acknowledgementId as string, impactDigest, roll: true };
}

/** Waits for the certificate of an erasure, and that there is one. */
async function assertErased(id: string): Promise<void> {
  const { status } = assertOk(await asAda(other, 'GET', `erasure/${id}`)).body.data;
  expect(status).toBe('executed');
  const certificates = async () =>
    (await entriesOf(`certificate:${id}`)).map(({ kind }) => kind).slice(0, 1);
  await expect.poll(certificates, { timeout: 30_000 }).toEqual(['certificate']);
  const first = { kind: 'certificate', traceId: `certificate:${id}`, after: null };
  expect(await db().collection('ledger').countDocuments(first)).toBe(1);
}

/** An erasure is executed; before that it counts as left behind. */
const erasure: Act = {
  stops: APPEND_STEPS,
  async run(at) {
    const { traceId } = await propose(createAction('read'));
    const given = await acknowledge([traceId]);
    const { status } = await at(() => asAda(sleeper, 'POST', 'erasure/execute', given), overtake);
    expect([200, 409]).toContain(status);
    const kinds = (await entriesOf(traceId)).map(({ kind }) => kind);
    expect(kinds).toEqual(['trace', 'erasure']);
    await assertErased(given.acknowledgementId);
  },
};

/** Jobs run under leases that end: logs are sealed, outboxes emptied, consumers follow, epochs roll. */
const jobs: Act = {
  stops: ['head-signed', 'head-stored', 'effects-written', 'cursor-moved', ...EPOCH_STEPS],
  async run(at) {
    const { traceId } = await propose(createAction('read'));
    const given = await acknowledge([traceId]);
    assertOk(await asAda(other, 'POST', 'erasure/execute', given));
    await at(() => sleeper.runJobs(), overtake);
    await assertErased(given.acknowledgementId);
  },
};

const ACTS = { effect, execution, verdict, erasure, jobs };

/** Stops the process at a step, or some milliseconds after the work has begun; wakes it when it was overtaken. */
async function runPoint(act: Act, chance: Chance): Promise<void> {
  const step = chance.happens(0.6) ? chance.pick(act.stops) : null;
  const delay = chance.integer(0, 12);
  await act.run(async (work, overtaking) => {
    sleeper.ask({ stopAt: step });
    const answer = work();
    if (step === null) {
      await sleep(delay);
      sleeper.stop();
    }
    await sleeper.awaitStop(answer);
    await overtaking();
    sleeper.wake();
    const answered = await answer;
    sleeper.ask({ stopAt: null });
    sleeper.wake();
    return answered as Answer;
  });
}

test(`${POINTS} stops: nothing happens twice`, async () => {
  const names = Object.keys(ACTS) as (keyof typeof ACTS)[];
  for (let point = 0; point < POINTS; point++) {
    const seed = SEED + point;
    const name = names[seed % names.length] as keyof typeof ACTS;
    await runPoint(ACTS[name], seeded(seed)).catch((error: unknown) => {
      sleeper.wake();
      const what = `seed ${seed}, ${name}: ${(error as Error).message}\n${sleeper.complaints}`;
      throw new Error(what, { cause: error });
    });
  }
  await other.runJobs();
  const verified = await asAda(other, 'POST', 'hash-chain/verify', {});
  expect(verified.body.data).toMatchObject({
    verified: true,
    payload: { mismatched: [], missing: [] },
  });
});
