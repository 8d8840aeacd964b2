// Workers of one port follow an organisation under a lease: none blocks another, and every effect is there once.
import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import type { Timer } from '../../src/platform/concurrency/timer.ts';
import { generateId } from '../../src/platform/ids.ts';
import { type KeyLeaseProvider, KeyLeases } from '../../src/platform/shared/key-leases.ts';
import { FollowedChain } from './followed-chain.ts';
import { draft, hastyTimer } from './store/real-chain.ts';

const chain = new FollowedChain('follow-lease');
const APPENDED = 30;
/** Shortens the pauses between runs; a wait for the lease never ends without it, however slow the machine is. */
const timer: Timer = {
  schedule: (ms, run) => (ms < 5_000 ? hastyTimer.schedule(ms, run) : () => undefined),
  elapsed: hastyTimer.elapsed,
};

/**
 * Wakes three workers after every entry; returns the effects of each consumer and the number of cursor conflicts.
 * With `untilConflict` every transaction stays open until the first conflict.
 */
async function followed(keyLeases: KeyLeaseProvider | undefined, untilConflict = false) {
  const organizationId = generateId();
  const names = ['first', 'second'].map((name) => `${name}-${organizationId}`);
  let held = 0;
  const conflicts = new EventEmitter();
  const drawFraction = (): number => {
    held += 1;
    conflicts.emit('first');
    return 0.5;
  };
  const conflict = untilConflict ? once(conflicts, 'first') : undefined;
  const consumers = names.map((name) => {
    const effects = chain.effects(name, {});
    return chain.effects(name, {
      consume: async (entries, context) => {
        await conflict;
        await effects.consume(entries, context);
      },
    });
  });
  const workers = Array.from(
    { length: 3 },
    () => chain.follow(consumers, undefined, { keyLeases, drawFraction, timer }).runner,
  );
  await workers[0]?.createCursors(organizationId, 0);
  const { appender } = chain.start();
  for (let count = 0; count < APPENDED; count++) {
    await appender.append(draft(organizationId));
    for (const worker of workers) worker.wake(organizationId);
  }
  const all = await chain.traces(organizationId);
  for (const name of names)
    await expect.poll(() => chain.effectsOf(name, organizationId)).toEqual(all);
  await Promise.all(workers.map((worker) => worker.stop()));
  return { held, appended: all.length };
}

test('workers never conflict with the lease, and conflict without it when they meet', async () => {
  expect(await followed(new KeyLeases())).toEqual({ held: 0, appended: APPENDED });
  const { held, appended } = await followed(undefined, true);
  expect(appended).toBe(APPENDED);
  expect(held).toBeGreaterThan(0);
});

test('consumers proceed when the lease holder has died', async () => {
  const gone: KeyLeaseProvider = { acquire: () => Promise.reject(new Error('gone')) };
  expect(await followed(gone)).toMatchObject({ appended: APPENDED });
});

test.each([
  { those: 'consumers that keep up', more: {}, readings: 1 },
  { those: 'a consumer that is behind', more: { batch: 2, runsInTurn: 1 }, readings: 8 },
])('$those have everything, and what others appended is read once', async ({ more, readings }) => {
  const organizationId = generateId();
  const keyLeases = new KeyLeases();
  const { connection, reads } = chain.watched();
  const names = ['first', 'second', 'third'].map((name) => `${name}-${organizationId}`);
  const consumers = names.map((name, at) => chain.effects(name, at === 2 ? more : {}));
  const held = holdable(timer);
  const workers = Array.from({ length: 2 }, () => {
    const over = { keyLeases, connection, timer: held };
    const { runner } = chain.follow(consumers, undefined, over);
    const { appender } = chain.start({ keyLeases, onSealed: (id, own) => runner.wake(id, own) });
    return { runner, appender };
  });
  await workers[0]?.runner.createCursors(organizationId, 0);
  const append = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++)
      await workers[at % workers.length]?.appender.append(draft(organizationId));
  };
  const effects = () => Promise.all(names.map((name) => chain.effectsOf(name, organizationId)));
  await append(1);
  await expect.poll(effects).toEqual([[1], [1], [1]]);
  held.hold();
  await append(8);
  held.release();
  const all = await chain.traces(organizationId);
  await expect.poll(effects).toEqual([all, all, all]);
  expect(all).toHaveLength(9);
  expect(reads.length).toBeLessThanOrEqual(readings);
  await Promise.all(workers.map(({ runner }) => runner.stop()));
});

/** A timer whose callbacks wait while it is held. */
function holdable({ schedule, elapsed }: Timer): Timer & { hold(): void; release(): void } {
  let waiting: (() => void)[] | null = null;
  return {
    schedule(ms, run) {
      if (!waiting) return schedule(ms, run);
      waiting.push(run);
      return () => undefined;
    },
    elapsed,
    hold: () => void (waiting = []),
    release() {
      const runs = waiting ?? [];
      waiting = null;
      for (const run of runs) run();
    },
  };
}
