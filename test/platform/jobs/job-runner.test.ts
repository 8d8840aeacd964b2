// Timed jobs on real leases: one instance at a time, no overlapping runs, takeover after a crash.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createJobRunner,
  type Job,
  type JobRunner,
} from '../../../src/platform/jobs/job-runner.ts';
import { createLeases } from '../../../src/platform/jobs/leases.ts';
import { systemTimer } from '../../../src/platform/concurrency/timer.ts';
import { connectMongo, type Mongo } from '../../../src/platform/mongo/connection.ts';
import { createDatabaseUri } from '../../setup/databases.ts';

const lasting = (id: string) => ({ id, isGone: () => Promise.resolve(false) });

let mongo: Mongo;
let aheadMs = 0;
beforeAll(async () => {
  mongo = await connectMongo({ uri: createDatabaseUri(), poolSize: 10 });
});
afterAll(() => mongo.close());

interface RunLog {
  runs: string[];
  errors: string[];
}
function runner(holder: string, jobs: Job[], ready = () => true): JobRunner & RunLog {
  const runLog: RunLog = { runs: [], errors: [] };
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const made = createJobRunner({
    jobs,
    leases: createLeases({
      connection: mongo.connection,
      clock,
      timer: systemTimer,
      instances: lasting(holder),
    }),
    timer: systemTimer,
    ready,
    log: { error: (_, text) => runLog.errors.push(text) },
    onRun: (name, ok) => runLog.runs.push(`${name} ${ok ? 'ok' : 'failed'}`),
  });
  return Object.assign(made, runLog);
}

test('one of two instances runs the job; the other takes over when it stops', async () => {
  const ran: string[] = [];
  const job = (who: string): Job => ({
    name: 'shared',
    everyMs: 10,
    run: () => Promise.resolve(ran.push(who)),
  });
  const [one, two] = [runner('one', [job('one')]), runner('two', [job('two')])];
  one.start();
  await expect.poll(() => ran.length, { interval: 5 }).toBeGreaterThan(0);
  two.start();
  await expect.poll(() => ran.length, { interval: 5 }).toBeGreaterThan(10);
  expect(new Set(ran)).toEqual(new Set(['one']));
  await one.stop();
  await expect.poll(() => ran.at(-1), { interval: 5 }).toBe('two');
  await two.stop();
});

test('another instance takes over from a crashed one when its lease expires', async () => {
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  await createLeases({
    connection: mongo.connection,
    clock,
    timer: systemTimer,
    instances: lasting('dead'),
  }).acquire('job:orphan', 5000);
  let ran = 0;
  const heir = runner('heir', [
    { name: 'orphan', everyMs: 10, run: () => Promise.resolve((ran += 1)) },
  ]);
  heir.start();
  await expect.poll(() => heir.errors).toEqual([]);
  expect(ran).toBe(0);
  aheadMs = 5001;
  await expect.poll(() => ran, { interval: 5 }).toBeGreaterThan(0);
  await heir.stop();
  aheadMs = 0;
});

test('no second run starts during a slow one, and stopping waits for it', async () => {
  let [running, most, finish] = [0, 0, (): void => undefined];
  const slow = runner('slow', [
    {
      name: 'slow',
      everyMs: 5,
      async run() {
        most = Math.max(most, (running += 1));
        await new Promise<void>((resolve) => (finish = resolve));
        running -= 1;
      },
    },
  ]);
  slow.start();
  await expect.poll(() => running, { interval: 5 }).toBe(1);
  let stopped = false;
  const stopping = slow.stop().then(() => (stopped = true));
  await Promise.resolve();
  expect(stopped).toBe(false);
  finish();
  await stopping;
  expect([running, most]).toEqual([0, 1]);
});

test('a failed job is logged, counted and retried', async () => {
  let tries = 0;
  const failing = runner('failing', [
    {
      name: 'failing',
      everyMs: 5,
      run: () => ((tries += 1) === 1 ? Promise.reject(new Error('once')) : Promise.resolve()),
    },
  ]);
  failing.start();
  await expect
    .poll(() => failing.runs.slice(0, 2), { interval: 5 })
    .toEqual(['failing failed', 'failing ok']);
  expect(failing.errors).toEqual(['job failed']);
  await failing.stop();
});

test('all jobs can be run once, in order, without their timers', async () => {
  const ran: string[] = [];
  const names = ['a', 'b', 'c'];
  const manual = runner(
    'manual',
    names.map((name) => ({ name, everyMs: 1e9, run: () => Promise.resolve(ran.push(name)) })),
  );
  await manual.runOnce();
  expect(ran).toEqual(names);
});

test('a manual run and a timed run never overlap', async () => {
  let [ran, running, most] = [0, 0, 0];
  const both = runner('both', [
    {
      name: 'both',
      everyMs: 1,
      async run() {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 3));
        ran += 1;
        running -= 1;
      },
    },
  ]);
  both.start();
  await expect.poll(() => ran, { interval: 1 }).toBeGreaterThan(2);
  for (let n = 0; n < 20; n++) await both.runOnce();
  await Promise.all([both.runOnce(), both.runOnce()]);
  expect(most).toBe(1);
  await both.stop();
});

test('no job runs while the clock is wrong, since leases and periods depend on it', async () => {
  const ran: string[] = [];
  let isRight = false;
  const job = { name: 'timed', everyMs: 5, run: () => Promise.resolve(ran.push('timed')) };
  const asked: number[] = [];
  const careful = runner('careful', [job], () => (asked.push(0), isRight));
  careful.start();
  await expect.poll(() => asked.length, { interval: 5 }).toBeGreaterThan(2);
  expect(ran).toEqual([]);
  isRight = true;
  await expect.poll(() => ran.length, { interval: 5 }).toBeGreaterThan(0);
  await careful.stop();
});

/** Rests for one millisecond, then two, four, eight ... while it finds nothing to do. */
const resting = (run: () => number): Job => ({
  name: 'resting',
  everyMs: 1,
  idleMs: 1e9,
  run: () => Promise.resolve(run()),
});
const CALLED = { interval: 5 };

test('an idle job rests longer each time, until a call wakes it', { tags: ['long'] }, async () => {
  let [ran, found] = [0, 0];
  const idle = runner('idle', [resting(() => ((ran += 1), found))]);
  idle.start();
  await expect.poll(() => ran, { interval: 5, timeout: 60_000 }).toBeGreaterThanOrEqual(15);
  // Another eight seconds to the sixteenth.
  const before = ran;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(ran - before).toBeLessThanOrEqual(1);
  idle.wakeJob('resting');
  await expect.poll(() => ran - before, CALLED).toBeGreaterThanOrEqual(3);
  found = 1;
  idle.wakeJob('resting');
  await expect.poll(() => ran - before, CALLED).toBeGreaterThan(20);
  await idle.stop();
  const stopped = ran;
  idle.wakeJob('resting');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(ran).toBe(stopped);
});

test('a call during a run is not lost, and many calls cause one run', async () => {
  let [ran, finish] = [0, (): void => undefined];
  const job: Job = {
    ...resting(() => 0),
    everyMs: 60_000,
    async run() {
      ran += 1;
      await new Promise<void>((resolve) => (finish = resolve));
      return 0;
    },
  };
  const called = runner('called', [job]);
  called.start();
  called.wakeJob('resting');
  await expect.poll(() => ran, CALLED).toBe(1);
  for (let call = 0; call < 100; call++) called.wakeJob('resting');
  finish();
  await expect.poll(() => ran, CALLED).toBe(2);
  finish();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(ran).toBe(2);
  await called.stop();
});

test('a resting instance leaves the lease to a woken one', async () => {
  const ran: string[] = [];
  const job = (who: string): Job => ({
    ...resting(() => (ran.push(who), 0)),
    everyMs: 60_000,
  });
  const [one, two] = [runner('one', [job('one')]), runner('two', [job('two')])];
  for (const each of [one, two]) each.start();
  one.wakeJob('resting');
  await expect.poll(() => ran, CALLED).toEqual(['one']);
  await expect
    .poll(() =>
      mongo.connection.collection('leases').countDocuments({ _id: 'job:resting' as never }),
    )
    .toBe(0);
  two.wakeJob('resting');
  await expect.poll(() => ran, CALLED).toEqual(['one', 'two']);
  await Promise.all([one.stop(), two.stop()]);
});
