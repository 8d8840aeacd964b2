// Rate limits that workers share: those of accounts and costly work are exact, those of every request rarely reported.
import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createLimits, type RateLimits, RateState } from '../../src/http/checks/rate-limits.ts';
import { createCountingWorkers } from './counting-workers.ts';

const WORKERS = 2;
const LIMIT = 24;
/** Every configured limit is the same. */
const config = new Proxy({}, { get: () => LIMIT }) as Config;
type Take = (limits: RateLimits, state: RateState) => unknown;

const attempt = { email: 'ada@example.com', address: '203.0.113.7' };
let network = 0;
/** A different address every time. */
const elsewhere = () => ({ email: 'ada@example.com', address: `198.51.100.${(network += 1)}` });

const EXACT: [string, number, Take][] = [
  ['auth', LIMIT, ({ auth }, state) => auth(attempt.address, state)],
  ['signOn', LIMIT, ({ signOn }, state) => signOn(attempt.address, state)],
  ['login', 30, ({ login }, state) => login('what the provider sends', state)],
  [
    'account, from one network',
    LIMIT,
    ({ countAccountAttempt }, state) => countAccountAttempt(attempt, state),
  ],
  [
    'account, from everywhere',
    LIMIT,
    ({ countAccountAttempt }, state) => countAccountAttempt(elsewhere(), state),
  ],
  ['proof', LIMIT, ({ proof }, state) => proof('ada', state)],
  [
    'mail, from one network',
    LIMIT,
    ({ countMailRequest }, state) => countMailRequest('reset', attempt, state),
  ],
  [
    'mail, from everywhere',
    LIMIT,
    ({ countMailRequest }, state) => countMailRequest('reset', elsewhere(), state),
  ],
  ['demo', LIMIT, ({ demo }, state) => demo(attempt.address, state)],
  ['onboarding', LIMIT, ({ onboarding }, state) => onboarding('ada', state)],
  ['cpi', LIMIT, ({ cpi }, state) => cpi('ada', state)],
  ['cpiReport', LIMIT, ({ cpiReport }, state) => cpiReport('ada', state)],
];
const BUSY: [string, Take][] = [
  ['ip', ({ ip }, state) => ip(attempt.address, state)],
  ['user', ({ user }, state) => user('ada', state)],
  ['scimAddress', ({ scimAddress }, state) => scimAddress(attempt.address, state)],
  ['scimToken', ({ scimToken }, state) => scimToken('token', state)],
  ['agent', ({ agent }, state) => agent('till', 100_000, state)],
];

/**
 * Sends requests to one worker, then to the next, which has heard of none; resolves with how many pass, and with the
 * number of requests to the primary.
 */
async function takeOnEach(times: number, take: Take, limited = config) {
  const { workers, asked } = createCountingWorkers(WORKERS, () => 1);
  let passed = 0;
  for (const worker of workers) {
    const limits = createLimits(limited, { count: (counted) => worker.addHits(counted) });
    const taking = Array.from({ length: times }, async () => take(limits, new RateState()));
    const results = await Promise.allSettled(taking);
    passed += results.filter(({ status }) => status === 'fulfilled').length;
  }
  return { passed, asked: asked() };
}

test.each(EXACT)('%s: exactly %d pass on all workers together', async (_name, limit, take) => {
  expect((await takeOnEach(limit, take)).passed).toBe(limit);
});

test.each(BUSY)(
  '%s: a request far from its limit passes without a request to the primary',
  async (_name, take) => {
    const ample = new Proxy({}, { get: () => 100_000 }) as Config;
    const { passed, asked } = await takeOnEach(200, take, ample);
    expect(passed).toBe(400);
    expect(asked).toBeLessThan(40);
  },
);

test('an agent without a limit is not counted', async () => {
  for (const perMinute of [null, 0, -1]) {
    const { passed, asked } = await takeOnEach(20, ({ agent }, state) =>
      agent('till', perMinute, state),
    );
    expect([passed, asked]).toEqual([40, 0]);
  }
  expect((await takeOnEach(20, ({ agent }, state) => agent('till', 1, state))).passed).toBeLessThan(
    40,
  );
});
