// The noise of privacy mechanisms: its distribution against the formula, its bounds, and what a release costs.
// @module-tag varied
import { createCipheriv, createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  drawExpBernoulli,
  type Random16,
  drawUniform,
} from '../../../src/domain/privacy/chances.ts';
import {
  drawDiscreteGaussian,
  drawDiscreteLaplace,
} from '../../../src/domain/privacy/discrete-noise.ts';
import { createNoise } from '../../../src/domain/privacy/mechanism.ts';
import { fromNanos, toNanos } from '../../../src/domain/privacy/nano-units.ts';
import { releaseGroups } from '../../../src/domain/privacy/released-numbers.ts';
import { chooseRuns } from '../../setup/runs.ts';

/** The same bytes every time, so that no test fails by chance. */
function bytesOf(seed: string): Random16 {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length === 0) pool = cipher.update(Buffer.alloc(1 << 14));
    const drawn = pool.subarray(0, 16);
    pool = pool.subarray(16);
    return drawn;
  };
}

function sample(size: number, draw: () => bigint): number[] {
  return Array.from({ length: size }, () => Number(draw()));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Pearson's statistic over the values from -reach to reach, with one cell for everything beyond. */
function chiSquare(
  values: readonly number[],
  weight: (x: number) => number,
  reach: number,
): number {
  let all = 0;
  for (let x = -2000; x <= 2000; x++) all += weight(x);
  const seen = new Map<number, number>();
  for (const value of values) seen.set(value, (seen.get(value) ?? 0) + 1);
  let statistic = 0;
  let expectedBeyond = values.length;
  let seenBeyond = values.length;
  for (let x = -reach; x <= reach; x++) {
    const expected = (values.length * weight(x)) / all;
    const found = seen.get(x) ?? 0;
    statistic += (found - expected) ** 2 / expected;
    expectedBeyond -= expected;
    seenBeyond -= found;
  }
  return statistic + (seenBeyond - expectedBeyond) ** 2 / expectedBeyond;
}

/** Above it is one sample in a thousand (normal approximation of the chi-square quantile). */
const limit = (cells: number): number => {
  const degrees = cells - 1;
  return degrees * (1 - 2 / (9 * degrees) + 3.09 * Math.sqrt(2 / (9 * degrees))) ** 3;
};

describe('exact chances', () => {
  test.each([1n, 2n, 7n, 1000n])('below %s every number is as likely', (bound) => {
    const random16 = bytesOf(`uniform ${bound}`);
    const values = sample(3000, () => drawUniform(bound, random16));
    expect(Math.max(...values)).toBeLessThan(Number(bound));
    expect(Math.min(...values)).toBe(0);
    expect(Math.abs(mean(values) - (Number(bound) - 1) / 2)).toBeLessThan(Number(bound) * 0.03);
  });

  test('bounds beyond 16 bytes are reached', () => {
    const random16 = bytesOf('wide');
    const bound = 1n << 300n;
    const values = Array.from({ length: 50 }, () => drawUniform(bound, random16));
    expect(values.every((value) => value >= 0n && value < bound)).toBe(true);
    expect(values.some((value) => value >> 290n > 0n)).toBe(true);
  });

  test.each([
    [0n, 1n],
    [1n, 3n],
    [1n, 1n],
    [5n, 2n],
  ])('e^-(%s/%s) happens as often as it says', (over, under) => {
    const random16 = bytesOf(`exp ${over}/${under}`);
    const size = 4000;
    const share = sample(size, () => (drawExpBernoulli({ over, under }, random16) ? 1n : 0n));
    expect(mean(share)).toBeCloseTo(Math.exp(-Number(over) / Number(under)), 1);
  });
});

describe('distributions', () => {
  test.each([
    [1n, 1n],
    [3n, 1n],
    [7n, 2n],
  ])('the discrete Laplace of scale %s/%s is as its formula says', (over, under) => {
    const random16 = bytesOf(`laplace ${over}/${under}`);
    const scale = Number(over) / Number(under);
    const values = sample(6000, () => drawDiscreteLaplace({ over, under }, random16));
    const reach = Math.ceil(scale * 4);
    const statistic = chiSquare(values, (x) => Math.exp(-Math.abs(x) / scale), reach);
    expect(statistic).toBeLessThan(limit(2 * reach + 2));
  });

  test.each([1n, 4n, 30n])(
    'the discrete Gaussian of variance %s is as its formula says',
    (variance) => {
      const random16 = bytesOf(`gaussian ${variance}`);
      const values = sample(6000, () => drawDiscreteGaussian(variance, random16));
      const reach = Math.ceil(Math.sqrt(Number(variance)) * 2.5);
      const statistic = chiSquare(
        values,
        (x) => Math.exp(-(x * x) / (2 * Number(variance))),
        reach,
      );
      expect(statistic).toBeLessThan(limit(2 * reach + 2));
    },
  );

  test('a sample of another scale is detected, so these tests can fail', () => {
    const random16 = bytesOf('other');
    const values = sample(6000, () => drawDiscreteLaplace({ over: 4n, under: 1n }, random16));
    expect(chiSquare(values, (x) => Math.exp(-Math.abs(x) / 3), 12)).toBeGreaterThan(limit(26));
  });
});

describe('mechanisms', () => {
  const cost = fc.record({
    epsilon: fc.integer({ min: toNanos(0.001), max: toNanos(100) }),
    delta: fc.integer({ min: 1, max: toNanos(0.01) }),
  });

  test('the Gaussian is wide enough for its epsilon and delta, and no wider than needed', () => {
    fc.assert(
      fc.property(cost, fc.integer({ min: 1, max: 10_000 }), ({ epsilon, delta }, sensitivity) => {
        const { standardDeviation } = createNoise('gaussian', { epsilon, delta }, sensitivity);
        const lossAt = (deviation: number): number => {
          const rho = sensitivity ** 2 / (2 * deviation ** 2);
          return rho + 2 * Math.sqrt(rho * Math.log(1 / fromNanos(delta)));
        };
        expect(lossAt(standardDeviation)).toBeLessThanOrEqual(fromNanos(epsilon) * (1 + 1e-9));
        const narrower = Math.sqrt(Math.max(standardDeviation ** 2 - 2, 0));
        if (narrower > 1000) expect(lossAt(narrower * 0.99)).toBeGreaterThan(fromNanos(epsilon));
      }),
      { numRuns: chooseRuns(100, 5000) },
    );
  });

  test.each(['laplace', 'gaussian'] as const)(
    '%s noise is drawn in bounded steps, whatever the cost',
    (mechanism) => {
      fc.assert(
        fc.property(cost, fc.string(), (spent, seed) => {
          const random16 = bytesOf(seed);
          let drawn = 0;
          const counting: Random16 = () => {
            drawn += 1;
            return random16();
          };
          const noise = createNoise(mechanism, spent, 5000);
          const values = sample(20, () => noise.draw(counting));
          expect(drawn / values.length).toBeLessThan(200);
          expect(Math.max(...values.map(Math.abs))).toBeLessThan(noise.standardDeviation * 30 + 1);
        }),
        { numRuns: chooseRuns(30, 1000) },
      );
    },
  );

  test('the stated standard deviation is that of the noise', () => {
    for (const mechanism of ['laplace', 'gaussian'] as const) {
      const random16 = bytesOf(mechanism);
      const noise = createNoise(mechanism, { epsilon: toNanos(0.3), delta: toNanos(1e-5) }, 1);
      const values = sample(4000, () => noise.draw(random16));
      const found = Math.sqrt(mean(values.map((value) => value ** 2)));
      expect(found / noise.standardDeviation).toBeGreaterThan(0.93);
      expect(found / noise.standardDeviation).toBeLessThan(1.07);
      expect(Math.abs(mean(values))).toBeLessThan(noise.standardDeviation * 0.1);
    }
  });
});

describe('a release', () => {
  const exact = [
    { group: 'a', count: 1000, sum: 2_000_000 },
    { group: 'b', count: 0, sum: 0 },
  ];
  const cost = { epsilon: toNanos(1), delta: toNanos(1e-5) };

  test('returns every group, counts near the truth, in whole numbers', () => {
    for (const mechanism of ['laplace', 'gaussian'] as const) {
      const { groups } = releaseGroups(
        exact,
        { metric: 'count', mechanism, cost },
        bytesOf(mechanism),
      );
      expect(groups.map(({ group }) => group)).toEqual(['a', 'b']);
      expect(Math.abs((groups[0]?.value ?? 0) - 1000)).toBeLessThan(60);
      expect(Number.isInteger(groups[1]?.value)).toBe(true);
    }
  });

  test('a mean is within its range, and none where the count is not positive', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { groups } = releaseGroups(
        exact,
        { metric: 'meanConfidence', mechanism: 'laplace', cost },
        bytesOf(`mean ${seed}`),
      );
      const [a, b] = groups;
      expect(a?.value).toBeGreaterThan(0.55);
      expect(a?.value).toBeLessThan(0.85);
      if (b?.value !== null) {
        expect(b?.value).toBeGreaterThanOrEqual(0);
        expect(b?.value).toBeLessThanOrEqual(1);
      }
    }
  });

  test('a mean has a deviation of its own, and what may be empty has neither', () => {
    const query = { metric: 'meanConfidence', mechanism: 'laplace', cost } as const;
    for (let seed = 0; seed < 50; seed++) {
      const { groups, standardDeviation } = releaseGroups(
        exact,
        query,
        bytesOf(`deviation ${seed}`),
      );
      const [large, small] = groups;
      expect(large?.standardDeviation).toBeGreaterThan(0);
      expect(large?.standardDeviation).toBeLessThan(standardDeviation);
      expect(Math.abs((large?.value ?? 0) - 0.7)).toBeLessThan(
        8 * (large?.standardDeviation ?? 0) + 0.01,
      );
      expect(small).toMatchObject({ value: null, standardDeviation: null });
    }
  });

  test('a mean pays its two numbers out of one cost', () => {
    const one = releaseGroups(exact, { metric: 'count', mechanism: 'laplace', cost }, bytesOf('x'));
    const two = releaseGroups(
      exact,
      { metric: 'meanConfidence', mechanism: 'laplace', cost },
      bytesOf('x'),
    );
    expect(two.standardDeviation).toBeGreaterThan(one.standardDeviation * 1.8);
  });
});

test('billionths are exact for what people write', () => {
  for (const amount of [10, 0.1, 0.2, 0.3, 0.7, 1e-4, 1e-9, 1e6]) {
    expect(Number.isSafeInteger(toNanos(amount))).toBe(true);
    expect(fromNanos(toNanos(amount))).toBe(amount);
  }
  expect(fromNanos(toNanos(0.1) + toNanos(0.2))).toBe(0.3);
});
