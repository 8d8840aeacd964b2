// The clock guard: five seconds either way are as much as may lie between an instance and its database.
import { expect, test } from 'vitest';
import { createClockGuard, MAX_SKEW_MS } from '../../src/platform/clock-guard.ts';

async function guardWith(
  skewMs: number,
): Promise<{ ready: boolean; before: boolean; told: number[]; logged: object[] }> {
  const [told, logged]: [number[], object[]] = [[], []];
  const guard = createClockGuard({
    measure: () => Promise.resolve(skewMs),
    onMeasured: (ms) => told.push(ms),
    log: { error: (details) => logged.push(details) },
  });
  const before = guard.ready();
  await guard.start();
  guard.stop();
  return { ready: guard.ready(), before, told, logged };
}

test.each([0, 4999, -4999, MAX_SKEW_MS, -MAX_SKEW_MS])('%i ms are taken', async (skewMs) => {
  expect(await guardWith(skewMs)).toEqual({
    ready: true,
    before: false,
    told: [skewMs],
    logged: [],
  });
});

test.each([5001, -5001, 86_400_000, Number.NaN])('%d ms are refused, and said', async (skewMs) => {
  expect(await guardWith(skewMs)).toEqual({
    ready: false,
    before: false,
    told: [skewMs],
    logged: [{ skewMs }],
  });
});

test('a start without a measurement is no start', async () => {
  const measure = (): Promise<number> => Promise.reject(new Error('no database'));
  const guard = createClockGuard({
    measure,
    onMeasured: () => undefined,
    log: { error: () => undefined },
  });
  await expect(guard.start()).rejects.toThrow('no database');
  expect(guard.ready()).toBe(false);
});
