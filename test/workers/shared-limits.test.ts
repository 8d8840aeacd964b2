// Rate limits that workers share: those of accounts and costly work are exact, those of every request rarely reported.
import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createLimits, RateState } from '../../src/http/checks/rate-limits.ts';
import {
  CALLER_LIMITS,
  limitAgent,
  type RateLimit,
} from '../../src/http/declaration/rate-limits.ts';
import { listRoutes } from '../../src/http/router.ts';
import { createOwnShared } from '../../src/platform/shared/shared.ts';
import { mounts } from '../../src/routes.ts';
import { createCountingWorkers } from './counting-workers.ts';

const WORKERS = 2;
const LIMIT = 24;
/** Every configured limit is the same. */
const config = new Proxy({}, { get: () => LIMIT }) as Config;
/** Every declared limit, once. */
const LIMITS = [
  ...new Set(
    listRoutes(mounts).flatMap(({ route, ofMount }) => [
      ...ofMount,
      ...CALLER_LIMITS[route.auth],
      ...(route.limits ?? []),
    ]),
  ),
];
const toCase = (limit: RateLimit) => [`${limit.name} by ${limit.by}`, limit] as const;
const EXACT = LIMITS.filter(({ isApproximate }) => !isApproximate).map(toCase);
const BUSY = [...LIMITS.filter(({ isApproximate }) => isApproximate), limitAgent(100_000)].map(
  toCase,
);

test('limits of accounts and of costly work are exact', () => {
  const names = ([name]: readonly [string, RateLimit]): string => name;
  expect(EXACT.map(names).toSorted()).toEqual([
    'account by email',
    'account by emailFrom',
    'account by user',
    'auth by address',
    'cpi by reader',
    'cpiReport by organization',
    'demo by address',
    'mail by email',
    'mail by emailFrom',
    'onboarding by user',
    'signOn by address',
    'signOn by login',
  ]);
  expect(BUSY.map(names).toSorted()).toEqual([
    'SCIM address by address',
    'SCIM token by scimToken',
    'address by address',
    'agent by agent',
    'user by user',
  ]);
});

/**
 * Sends requests to one worker, then to the next, which has heard of none; resolves with how many pass, and with the
 * number of requests to the primary.
 */
async function takeOnEach(times: number, limit: RateLimit, limited = config) {
  const { workers, asked } = createCountingWorkers(WORKERS, () => 1);
  let passed = 0;
  for (const worker of workers) {
    const limits = createLimits(limited, { count: (counted) => worker.addHits(counted) });
    const taking = Array.from({ length: times }, async () =>
      new RateState().applyCount(await limits(limit, 'one')),
    );
    const results = await Promise.allSettled(taking);
    passed += results.filter(({ status }) => status === 'fulfilled').length;
  }
  return { passed, asked: asked() };
}

test.each(EXACT)('%s: exactly the limit passes on all workers together', async (_name, limit) => {
  const max = typeof limit.max === 'number' ? limit.max : LIMIT;
  expect((await takeOnEach(max, limit)).passed).toBe(max);
});

test.each(BUSY)(
  '%s: a request far from its limit passes without a request to the primary',
  async (_name, limit) => {
    const ample = new Proxy({}, { get: () => 100_000 }) as Config;
    const { passed, asked } = await takeOnEach(200, limit, ample);
    expect(passed).toBe(400);
    expect(asked).toBeLessThan(40);
  },
);

test('limits and keys do not share their counts', async () => {
  const limits = createLimits(config, createOwnShared());
  for (const [, limit] of [...EXACT, ...BUSY])
    for (const key of ['one', 'other']) {
      const counted = await limits(limit, key);
      expect(counted.limit - counted.remaining, `${limit.name} ${limit.by}`).toBe(1);
    }
});
