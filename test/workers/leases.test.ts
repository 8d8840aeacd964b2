// Leases that workers share: one holder at a time, each with what the previous one left, and no worker waits forever.
// @module-tag varied
import fc from 'fast-check';
import { setImmediate as step } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KeyLeaseProvider } from '../../src/platform/shared/key-leases.ts';
import { createCoordinator } from '../../src/workers/coordinator.ts';
import { chooseRuns } from '../setup/runs.ts';

/** Delivers messages in their order, each after some steps of the event loop. */
function createDelivery(steps: () => number): () => Promise<void> {
  let last = Promise.resolve();
  return () =>
    (last = last.then(async () => {
      for (let left = steps(); left > 0; left--) await step();
    }));
}

function createWorkers(size: number, steps: () => number): KeyLeaseProvider[] {
  const coordinator = createCoordinator();
  return Array.from({ length: size }, () => {
    const { answers } = coordinator.openSession();
    const [deliverUp, deliverDown] = [createDelivery(steps), createDelivery(steps)];
    return {
      async acquire(key) {
        await deliverUp();
        const { id, payload } = await answers.acquireLease({ key });
        await deliverDown();
        const release = async (next: string | null): Promise<void> => {
          await deliverUp();
          await answers.release({ id: id as number, payload: next });
        };
        return { payload, release: (next) => void release(next) };
      },
    };
  });
}

test('a lease has one holder at a time, in any order of events', async () => {
  const delays = fc.infiniteStream(fc.nat(3));
  const requests = fc.array(fc.record({ worker: fc.nat(2), pause: fc.nat(4), use: fc.nat(3) }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(requests, delays, async (all, steps) => {
      const workers = createWorkers(3, () => steps.next().value as number);
      let holders = 0;
      let count = 0;
      const work = async (worker: number, use: number): Promise<void> => {
        const { payload, release } = await workers[worker]!.acquire('chain');
        expect([(holders += 1), Number(payload)]).toEqual([1, count]);
        for (let left = use; left > 0; left--) await step();
        holders -= 1;
        release(String((count += 1)));
      };
      const started: Promise<void>[] = [];
      for (const { worker, pause, use } of all) {
        for (let left = pause; left > 0; left--) await step();
        started.push(work(worker, use));
      }
      await Promise.all(started);
      expect(count).toBe(all.length);
    }),
    { numRuns: chooseRuns(200, 1_000) },
  );
});
