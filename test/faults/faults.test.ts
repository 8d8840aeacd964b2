// Two instances, or several workers each, on a replica set of three with twenty clients: kills, stalls, step-downs.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { STEPS, type Step } from '../../src/ledger/probe.ts';
import { App } from './apps.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { Load, post, type Acknowledged } from './load.ts';
import { assertOracle } from './oracle.ts';

const CLIENTS = 20;
const RANDOM_KILLS = 50;
/** Time within which a service accepts decisions again after a fault. */
const HEALTHY_MS = 5000;
const TWO_DAYS_MS = 2 * 24 * 3600 * 1000;

interface World {
  database: string;
  apps: [App, App];
  token: string;
  apiKey: string;
  organizationId: string;
  agentId: string;
  load: Load;
}

let cluster: Cluster;
let world: World;
beforeAll(async () => {
  cluster = await startCluster(inject('mongod').path);
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => {
  world.load.abandon();
  await Promise.all(world.apps.map((app) => app.kill()));
  await cluster.client.db(world.database).dropDatabase();
});

async function call(
  url: string,
  path: string,
  { token, body }: { token?: string; body: object },
): Promise<Record<string, never>> {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: Record<string, never> }).data;
}

/** Creates a database, two instances, and an organisation with an agent and a policy for each verdict. */
async function newWorld(): Promise<World> {
  const database = `faults${randomBytes(4).toString('hex')}`;
  const apps: [App, App] = [
    new App({ mongoUri: cluster.uri(database) }),
    new App({ mongoUri: cluster.uri(database) }),
  ];
  await Promise.all(apps.map((app) => app.start()));
  const url = apps[0].url as string;
  const { token, organization } = (await call(url, '/api/v1/auth/register', {
    body: {
      name: 'Ada',
      email: 'ada@example.com',
      password: 'Correct-Horse-9',
      organizationName: 'Faults',
    },
  })) as unknown as { token: string; organization: { _id: string } };
  const { key: apiKey } = (await call(url, '/api/v1/auth/keys', {
    token,
    body: { name: 'load' },
  })) as unknown as {
    key: string;
  };
  const { _id: agentId } = (await call(url, '/api/v1/agents', {
    token,
    body: { name: 'bot' },
  })) as unknown as {
    _id: string;
  };
  for (const [action, type] of [
    ['refund', 'flag_for_review'],
    ['wire', 'block'],
  ] as const) {
    await call(url, '/api/v1/policies', {
      token,
      body: {
        name: action,
        conditions: [{ field: 'outputDecision.action', operator: 'equals', value: action }],
        actions: [{ type }],
      },
    });
  }
  return {
    database,
    apps,
    token,
    apiKey,
    organizationId: organization._id,
    agentId,
    load: new Load({ apps, apiKey, agentId, clients: CLIENTS }),
  };
}

async function oracle(): Promise<void> {
  const { apps, database, load, ...rest } = world;
  const url = apps.find((app) => app.isAlive)?.url;
  if (url == null) throw new Error('no instance is up');
  await assertOracle({
    ...rest,
    url,
    db: cluster.client.db(database),
    acknowledged: load.acknowledged,
  });
}

/** Checks that decisions are answered within the time after a fault, then asks the oracle. */
async function recovers(): Promise<void> {
  const start = performance.now();
  await world.load.progress(CLIENTS);
  expect(performance.now() - start, 'milliseconds until decisions are answered again').toBeLessThan(
    HEALTHY_MS,
  );
}

describe('instances', () => {
  test(`${RANDOM_KILLS} random kills`, async () => {
    world.load.start();
    for (let kill = 0; kill < RANDOM_KILLS; kill++) {
      await world.load.progress(1 + Math.floor(Math.random() * 200));
      const app = world.apps[kill % 2] as App;
      const whole = await app.killOne();
      await recovers();
      await whole();
    }
    await world.load.stop();
    await oracle();
  });

  const reachedByLoad: Step[] = [
    'queued',
    'sealed',
    'before-insert',
    'inserted',
    'conflict',
    'acknowledged',
    'answered',
    'effects-written',
    'cursor-moved',
  ];
  test.each(reachedByLoad)('killed at %s', async (step) => {
    const [, victim] = world.apps;
    await victim.kill();
    await victim.start({ dieAt: { step, nth: 5 } });
    world.load.start();
    await victim.ended();
    await recovers();
    await victim.start();
    await world.load.progress(100);
    await world.load.stop();
    await oracle();
  });

  test.each<Step>(['unknown', 'before-resend'])(
    'killed at %s, while a member steps down',
    async (step) => {
      const [, victim] = world.apps;
      await victim.kill();
      await victim.start({ dieAt: { step, nth: 1 } });
      world.load.start();
      await world.load.progress(100);
      for (let fault = 0; victim.isAlive && fault < 10; fault++) {
        await cluster.stallPrimary(3000);
        await world.load.progress(CLIENTS);
      }
      expect(victim.isAlive, `${step} was reached`).toBe(false);
      await victim.start();
      await world.load.progress(100);
      await world.load.stop();
      await oracle();
    },
  );

  test.each<Step>(['before-fold', 'folded'])('killed at %s of a bulk change', async (step) => {
    const [survivor, victim] = world.apps;
    world.load.start();
    await world.load.progress(200);
    await world.load.stop();
    await victim.kill();
    await victim.start({ dieAt: { step, nth: 7 } });
    const db = cluster.client.db(world.database);
    const ids = (
      await db.collection('ledger').find({ kind: 'trace', status: 'approved' }).limit(64).toArray()
    ).map(({ _id }) => String(_id));
    await fetch(`${victim.url}/api/v1/traces/bulk-status`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.token}` },
      body: JSON.stringify({ ids, status: 'escalated' }),
    }).catch(() => undefined);
    await victim.ended();
    await oracle();
    const entries = await db.collection('ledger').find({ kind: 'status' }).toArray();
    const shown = await db
      .collection('ledger')
      .countDocuments({ kind: 'trace', status: 'escalated' });
    expect(entries.length, 'the crash came after entries were sealed').toBeGreaterThan(0);
    expect(shown, 'every sealed change is shown').toBe(entries.length);
    expect(survivor.isAlive).toBe(true);
  });

  test('killed at before-release of a key older than a day', async () => {
    const [survivor, victim] = world.apps;
    await Promise.all(world.apps.map((app) => app.kill()));
    await victim.start({ clockOffsetMs: -TWO_DAYS_MS });
    const body = {
      agentId: world.agentId,
      inputContext: { prompt: 'Old' },
      outputDecision: { action: 'reply', rationale: 'Long ago this was decided.' },
    };
    const posted = { key: 'an-old-key', body };
    const first = (await post(victim.url as string, world.apiKey, posted)) as Acknowledged;
    await victim.kill();
    await victim.start({ dieAt: { step: 'before-release', nth: 1 } });
    await post(victim.url as string, world.apiKey, posted);
    await victim.ended();
    await survivor.start();
    const second = (await post(survivor.url as string, world.apiKey, posted)) as Acknowledged;
    expect(second.traceId).not.toBe(first.traceId);
    expect(await post(survivor.url as string, world.apiKey, posted)).toEqual(second);
    await oracle();
  });

  test('every named step is killed at above', () => {
    const covered = new Set<Step>([
      ...reachedByLoad,
      'unknown',
      'before-resend',
      'before-fold',
      'folded',
      'before-release',
    ]);
    expect([...covered].sort()).toEqual([...STEPS].sort());
  });

  test('drained by SIGTERM under load loses nothing', async () => {
    world.load.start();
    await world.load.progress(300);
    const [, leaving] = world.apps;
    await leaving.kill('SIGTERM');
    await recovers();
    await leaving.start();
    await world.load.progress(100);
    await world.load.stop();
    await oracle();
  });
});

describe('the database', () => {
  test.each([
    ['the primary is killed', () => cluster.killPrimary()],
    ['the primary steps down', () => cluster.stepDown()],
    ['the primary stalls for three seconds', () => cluster.stallPrimary(3000)],
  ])('%s, three times', async (_what, fault) => {
    world.load.start();
    for (let round = 0; round < 3; round++) {
      await world.load.progress(200);
      await fault();
      await recovers();
    }
    await world.load.stop();
    await oracle();
  });

  test('a transaction left open by a killed process delays no ingestion', async () => {
    const session = cluster.client.startSession();
    session.startTransaction();
    await cluster.client
      .db(world.database)
      .collection('organizations')
      .updateMany({}, { $set: { name: 'held' } }, { session });
    await cluster.client.db(world.database).collection('ledger').find({}, { session }).toArray();
    world.load.start();
    await recovers();
    await world.load.stop();
    await session.abortTransaction();
    await session.endSession();
    await oracle();
  });
});

describe('keys', () => {
  test('100 keys posted 100 times in parallel on two instances give exactly 100 traces', async () => {
    const bodies = Array.from({ length: 100 }, (_, index) => ({
      key: `same-${index}`,
      body: {
        agentId: world.agentId,
        inputContext: { prompt: `Same ${index}` },
        outputDecision: {
          action: 'reply',
          rationale: `The same decision ${index}, posted again and again.`,
        },
      },
    }));
    const posts = Array.from({ length: 100 }, (_, round) =>
      bodies.map((posted, index) => ({
        posted,
        url: world.apps[(round + index) % 2]?.url as string,
      })),
    ).flat();
    const answers = new Map<string, Set<string>>();
    await inParallel(posts, 100, async ({ posted, url }) => {
      let answer: Acknowledged | null = null;
      for (let tries = 0; !answer && tries < 50; tries++)
        answer = await post(url, world.apiKey, posted);
      if (!answer) throw new Error('no answer');
      answers.set(
        posted.key,
        (answers.get(posted.key) ?? new Set()).add(
          JSON.stringify([answer.traceId, answer.receipt]),
        ),
      );
    });
    expect([...answers.values()].every((distinct) => distinct.size === 1)).toBe(true);
    expect(
      await cluster.client
        .db(world.database)
        .collection('ledger')
        .countDocuments({ kind: 'trace' }),
    ).toBe(100);
    await oracle();
  });
});

async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
  await sleep(0);
}
