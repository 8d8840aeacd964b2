// Batons that workers keep: one holder at a time, everybody has a turn, and who is alone asks once; in any order of events.
// @module-tag varied
import fc from 'fast-check';
import { setImmediate as step } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCoordinator } from '../../src/workers/desk.ts';
import { KeptBatons } from '../../src/workers/kept-batons.ts';
import { chooseRuns } from '../setup/runs.ts';

/** Workers whose messages take some steps of the event loop; none overtakes another on its way, and those that come together are read in one go. */
function crew(size: number, steps: () => number) {
  let asked = 0;
  const desk = createCoordinator({ passwords: { permits: 1, maxWaiting: 1 } });
  const channel = () => {
    const sent: (() => void)[] = [];
    const arrive = async (): Promise<void> => {
      for (let left = steps(); left > 0; left--) await step();
      for (const deliver of sent.splice(0)) deliver();
    };
    return (deliver: () => void): void => {
      if (sent.push(deliver) === 1) void arrive();
    };
  };
  const workers = Array.from({ length: size }, () => {
    const [up, down] = [channel(), channel()];
    const { answers } = desk.openSession((hold) => void down(() => batons.wanted(hold)));
    const batons: KeptBatons = new KeptBatons({
      take: (key) =>
        new Promise((resolve) => {
          asked += 1;
          void up(() => {
            void Promise.resolve(answers.baton({ key })).then((given) => {
              const told = { ...given };
              void down(() => resolve(told));
            });
          });
        }),
      leave: (hold, note) => void up(() => void answers.leave({ hold, note })),
    });
    return batons;
  });
  return { workers, asked: () => asked };
}

test('have one holder at a time, who is told what the one before left, and nobody waits for ever', async () => {
  const delays = fc.infiniteStream(fc.nat(3));
  const takes = fc.array(fc.record({ worker: fc.nat(2), pause: fc.nat(4), use: fc.nat(3) }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(takes, delays, async (turns, steps) => {
      const { workers } = crew(3, () => steps.next().value as number);
      let holders = 0;
      let count = 0;
      const taking: Promise<void>[] = [];
      for (const { worker, pause, use } of turns) {
        for (let left = pause; left > 0; left--) await step();
        taking.push(
          (async () => {
            const { payload, release } = await workers[worker]!.acquire('chain');
            expect([(holders += 1), Number(payload)]).toEqual([1, count]);
            for (let left = use; left > 0; left--) await step();
            holders -= 1;
            release(String((count += 1)));
          })(),
        );
      }
      await Promise.all(taking);
      expect(count).toBe(turns.length);
    }),
    { numRuns: chooseRuns(200, 5_000) },
  );
});

test('who is alone asks once; whoever comes later has it next', async () => {
  const { workers, asked } = crew(2, () => 1);
  for (let turn = 0; turn < 20; turn++) (await workers[0]!.acquire('chain')).release(`${turn}`);
  expect(asked()).toBe(1);
  const baton = await workers[1]!.acquire('chain');
  expect([asked(), baton.payload]).toEqual([2, '19']);
  baton.release('20');
  expect((await workers[0]!.acquire('chain')).payload).toBe('20');
});
