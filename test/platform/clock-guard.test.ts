// The clock guard: a skew or a change of this clock beyond five seconds is detected, a jump at once.
import { expect, test } from 'vitest';
import { MAX_SKEW_MS } from '../../src/domain/record/chain.ts';
import { createClockGuard } from '../../src/platform/clock-guard.ts';

const DAY = 86_400_000;

/** A machine whose clocks a test moves, and a database with a clock of its own or with the machine's. */
function machine({ sharesClock = false, skewMs = 0 } = {}) {
  const skews: number[] = [];
  const logged: object[] = [];
  const at = { elapsed: 0, asleep: 0, set: 0, databaseSet: 0 };
  const passed = (): number => 1_000_000 + at.elapsed + at.asleep;
  let answers = 0;
  const guard = createClockGuard({
    clocks: {
      wall: () => passed() + at.set,
      elapsed: () => at.elapsed,
      sinceBoot: () => at.elapsed + at.asleep,
    },
    databaseNow: () => {
      answers += 1;
      return Promise.resolve(passed() + (sharesClock ? at.set : at.databaseSet) - skewMs);
    },
    sharesClock,
    onMeasured: (ms) => skews.push(ms),
    log: { error: (details) => logged.push(details) },
  });
  return { at, guard, skews, logged, measured: () => answers };
}

async function started(options: Parameters<typeof machine>[0] = {}) {
  const made = machine(options);
  expect(made.guard.isReady()).toBe(false);
  await made.guard.start();
  made.guard.stop();
  return made;
}

/** The result of `isReady` now, and after the measurement that it started. */
async function asked({ guard }: ReturnType<typeof machine>): Promise<boolean[]> {
  const said = [guard.isReady()];
  await new Promise(setImmediate);
  said.push(guard.isReady());
  await new Promise(setImmediate);
  return said;
}

test.each([0, 4999, -4999, MAX_SKEW_MS, -MAX_SKEW_MS])(
  'a skew of %i ms is accepted',
  async (skewMs) => {
    const { guard, skews, logged } = await started({ skewMs });
    expect([guard.isReady(), skews, logged]).toEqual([true, [skewMs], []]);
  },
);

test.each([5001, -5001, DAY, Number.NaN])(
  'a skew of %d ms is refused and logged',
  async (skewMs) => {
    const { guard, skews, logged } = await started({ skewMs });
    expect([guard.isReady(), skews[0], logged]).toEqual([false, skewMs, [{ skewMs }]]);
  },
);

test('the start fails without a measurement', async () => {
  const { guard } = machine();
  const cut = createClockGuard({
    clocks: { wall: () => 0, elapsed: () => 0, sinceBoot: () => 0 },
    databaseNow: () => Promise.reject(new Error('no database')),
    sharesClock: false,
    onMeasured: () => undefined,
    log: { error: () => undefined },
  });
  await expect(cut.start()).rejects.toThrow('no database');
  expect([cut.isReady(), guard.isReady()]).toEqual([false, false]);
});

test.each([400 * DAY, 5001, -5001, -DAY])(
  'a clock that was set by %d ms is detected before the next measurement, and measured at once',
  async (set) => {
    const made = await started();
    made.at.elapsed = 8000;
    made.at.set = set;
    const before = made.measured();
    expect(await asked(made)).toEqual([false, false]);
    expect(made.measured()).toBeGreaterThan(before);
    expect(made.skews.at(-1)).toBe(set);
    expect(made.logged).toEqual([{ skewMs: set }]);
    made.at.set = 0;
    expect(made.guard.isReady()).toBe(true);
  },
);

test('a jump that the database shares is accepted once it is measured', async () => {
  const made = await started();
  Object.assign(made.at, { elapsed: 8000, set: DAY, databaseSet: DAY });
  expect(await asked(made)).toEqual([false, true]);
  expect(made.logged).toEqual([]);
});

test('a jump of the database alone is detected at the next measurement', async () => {
  const made = await started();
  Object.assign(made.at, { elapsed: 8000, databaseSet: DAY });
  expect(made.guard.isReady()).toBe(true);
  await made.guard.start();
  made.guard.stop();
  expect([made.guard.isReady(), made.skews.at(-1)]).toEqual([false, -DAY]);
});

test.each([400 * DAY, -DAY])(
  'a clock shared with the database that was set by %d ms is refused until it is back',
  async (set) => {
    const made = await started({ sharesClock: true });
    made.at.elapsed = 8000;
    made.at.set = set;
    expect(await asked(made)).toEqual([false, false]);
    made.at.elapsed += 60_000;
    expect(await asked(made)).toEqual([false, false]);
    expect(made.skews.at(-1)).toBe(set);
    expect(made.logged).toEqual([{ skewMs: set }, { skewMs: set }]);
    made.at.set = 300;
    expect(await asked(made)).toEqual([true, true]);
  },
);

test.each([true, false])(
  'sleep of the machine does not count as a jump (shared: %s)',
  async (sharesClock) => {
    const made = await started({ sharesClock });
    made.at.asleep = DAY;
    expect(await asked(made)).toEqual([false, true]);
    expect(made.logged).toEqual([]);
  },
);

test('occasional steps of a time service do not add up', async () => {
  const made = await started({ sharesClock: true });
  for (let step = 0; step < 20; step++) {
    made.at.elapsed += 10_000;
    made.at.set += 900;
    await made.guard.start();
    made.guard.stop();
    expect(made.guard.isReady()).toBe(true);
  }
});
