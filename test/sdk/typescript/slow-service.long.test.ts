// Many calls that are approved at once, with a service that is slow, busy, and silent now and then: each runs once.
// @module-tag long
import { expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { useGuards } from './sdk-stage.ts';

const CALLS = 200;
const harness = useOwnHarness();
const ada = useOwner(harness);
const stage = useGuards(harness, ada);

/** Claims and outcomes take a second, and each is refused or lost once before it arrives. */
function createSlowFetch(): typeof fetch {
  const seen = new Map<string, number>();
  return async (input, init) => {
    const url = String(input);
    if (!url.includes('/executions')) return fetch(input, init);
    const count = (seen.get(url) ?? 0) + 1;
    seen.set(url, count);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (count > 1) return fetch(input, init);
    if (seen.size % 2 === 0) throw new TypeError('fetch failed');
    const busy = { success: false, error: 'Busy', code: 'RATE_LIMIT_EXCEEDED' };
    return Response.json(busy, { status: 429, headers: { 'retry-after': '12' } });
  };
}

test('two hundred calls that are approved at once all run once, and all outcomes arrive', async () => {
  const errors: unknown[] = [];
  const ran = new Map<number, number>();
  // Two hundred decisions at once may take a busy machine longer than the default of a call.
  const assay = stage.connect({
    timeout: 60_000,
    fetch: createSlowFetch(),
    onError: (error) => errors.push(error),
  });
  const refund = assay.guard('issue_refund', ({ amount }: { amount: number }) => {
    ran.set(amount, (ran.get(amount) ?? 0) + 1);
  });
  const amounts = Array.from({ length: CALLS }, (_, at) => at + 1);
  const calls = Promise.allSettled(amounts.map((amount) => refund({ amount })));
  const traceIds: string[] = [];
  for (const _ of amounts) traceIds.push(await stage.decideNext({ decision: 'approve' }));
  const ends = await calls;
  expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect([...ran.values()]).toEqual(amounts.map(() => 1));
  await assay.flush();
  expect(errors).toEqual([]);
  const states = await Promise.all(
    traceIds.map(async (traceId) => {
      const path = `/api/v1/traces/${traceId}/executions`;
      const { app } = harness;
      return assertOk(await app.call('GET', path, { token: ada.token })).body.data[0].state;
    }),
  );
  expect(new Set(states)).toEqual(new Set(['succeeded']));
});
