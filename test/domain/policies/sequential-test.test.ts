// The sequential test of a canary is checked after every event and is hardly ever wrong; the arms are drawn by chance.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawArm, hasSameEffect } from '../../../src/domain/policies/changes/canary.ts';
import {
  addTestEvent,
  ALPHA,
  type Arm,
  NOTHING_SEEN,
  computePValue,
  type SequentialTest,
} from '../../../src/domain/policies/changes/sequential-test.ts';
import { type Chance, seeded } from '../../ledger/random.ts';
import { chooseRuns } from '../../setup/runs.ts';

interface World {
  share: number;
  /** How often a decision of an arm is overturned. */
  rates: Record<Arm, number>;
}

const DECISIONS = 1500;
const RUNS = chooseRuns(300, 10_000);

/** Runs a canary that is checked after every decision; returns the first decision and when it fell. */
function watch(chance: Chance, { share, rates }: World, look: (seen: Seen) => boolean): boolean {
  const seen: Seen = { n: { control: 0, canary: 0 }, test: NOTHING_SEEN };
  for (let index = 0; index < DECISIONS; index++) {
    const arm = chance.next() < share ? 'canary' : 'control';
    seen.n[arm] += 1;
    if (chance.happens(rates[arm])) seen.test = addTestEvent(seen.test, arm, share);
    if (look(seen)) return true;
  }
  return false;
}

interface Seen {
  n: Record<Arm, number>;
  test: SequentialTest;
}

const decides = ({ test: { decision } }: Seen): boolean => decision !== 'continue';

/** How many of the runs decided. */
function decided(world: World, look: (seen: Seen) => boolean, count = RUNS): number {
  const chance = seeded(20_261_122);
  return Array.from({ length: count }, () => watch(chance, world, look)).filter(Boolean).length;
}

/** The test of a fixed sample, misused: two proportions, normal approximation, checked after every decision. */
function naive({ n, test: { events } }: Seen): boolean {
  const [a, b] = [n.control, n.canary];
  if (a < 30 || b < 30) return false;
  const pooled = (events.control + events.canary) / (a + b);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a + 1 / b));
  return Math.abs(events.control / a - events.canary / b) > 1.96 * error;
}

describe('where the arms do not differ', () => {
  const worlds = [
    { share: 0.5, rates: { control: 0.1, canary: 0.1 } },
    { share: 0.1, rates: { control: 0.1, canary: 0.1 } },
    { share: 0.5, rates: { control: 0.6, canary: 0.6 } },
  ];
  test.for(worlds)(
    'at most 5 % of all canaries ever decide, however often one looks: %j',
    (world) => {
      expect(decided(world, decides)).toBeLessThanOrEqual(ALPHA * RUNS);
    },
  );

  test('where a test of a fixed sample, checked as often, decides in many more', () => {
    expect(decided(worlds[0]!, naive, 200)).toBeGreaterThan(3 * ALPHA * 200);
  });
});

describe('where they differ', () => {
  const found = (world: World, decision: string): number =>
    decided(world, ({ test: seen }) => seen.decision === decision, 200);

  test('a canary that is overturned half as often is promoted, one twice as often is rolled back', () => {
    expect(found({ share: 0.5, rates: { control: 0.1, canary: 0.05 } }, 'promote')).toBeGreaterThan(
      150,
    );
    expect(found({ share: 0.5, rates: { control: 0.1, canary: 0.2 } }, 'rollback')).toBeGreaterThan(
      190,
    );
    expect(found({ share: 0.1, rates: { control: 0.2, canary: 0.6 } }, 'rollback')).toBeGreaterThan(
      190,
    );
  });
});

const arm = fc.constantFrom<Arm>('control', 'canary');
const share = fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100);

test('the ratio is a martingale: one more event leaves its mean where it is', () => {
  fc.assert(
    fc.property(share, fc.array(arm, { maxLength: 200 }), (of, seen) => {
      let now = NOTHING_SEEN;
      for (const event of seen) now = addTestEvent(now, event, of);
      const after = (event: Arm): number =>
        Math.exp(addTestEvent(now, event, of).logRatio - now.logRatio);
      expect(of * after('canary') + (1 - of) * after('control')).toBeCloseTo(1, 9);
    }),
    { numRuns: chooseRuns(100, 1000) },
  );
});

test('the p-value only falls, and the first decision stays', () => {
  fc.assert(
    fc.property(share, fc.array(arm, { maxLength: 300 }), (of, seen) => {
      let now = NOTHING_SEEN;
      for (const event of seen) {
        const next = addTestEvent(now, event, of);
        expect(computePValue(next)).toBeLessThanOrEqual(computePValue(now));
        expect(next.decision !== 'continue').toBe(computePValue(next) <= ALPHA);
        if (now.decision !== 'continue') expect(next.decision).toBe(now.decision);
        now = next;
      }
      expect(now.events.control + now.events.canary).toBe(seen.length);
    }),
    { numRuns: chooseRuns(100, 1000) },
  );
});

test('a share of the decisions falls to the canary, always the same ones, others for another canary', () => {
  const ids = Array.from({ length: 5000 }, (_, index) => `trc_${index.toString(16)}`);
  const drawn = (id: string, of: number): string[] =>
    ids.filter((traceId) => drawArm({ id, share: of }, traceId) === 'canary');
  for (const of of [0.01, 0.1, 0.5, 0.99]) {
    const inCanary = drawn('one', of).length / ids.length;
    expect(Math.abs(inCanary - of)).toBeLessThan(4 * Math.sqrt((of * (1 - of)) / ids.length));
  }
  expect(drawn('one', 0.1)).toEqual(drawn('one', 0.1));
  const both = new Set(drawn('other', 0.5));
  const shared = drawn('one', 0.5).filter((traceId) => both.has(traceId)).length / ids.length;
  expect(Math.abs(shared - 0.25)).toBeLessThan(0.02);
});

test('two versions judge alike where conditions, actions and priority are the same, or neither judges', () => {
  const policy = {
    enabled: true,
    priority: 1,
    conditions: [{ field: 'tags', operator: 'contains', value: 'x' } as const],
    actions: [{ type: 'block' } as const],
  };
  const off = Object.assign({}, policy, { enabled: false });
  const later = Object.assign({}, policy, { priority: 2 });
  expect(hasSameEffect(policy, structuredClone(policy))).toBe(true);
  expect(hasSameEffect(policy, later)).toBe(false);
  expect(hasSameEffect(policy, off)).toBe(false);
  expect(hasSameEffect(policy, null)).toBe(false);
  expect(hasSameEffect(off, null)).toBe(true);
  expect(hasSameEffect(off, Object.assign({}, later, { enabled: false }))).toBe(true);
});
