// What the overview is computed from: paths and their keys, slots of names, flows, percentiles, spans.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toConfidenceBin } from '../../../src/domain/counts/confidence-bins.ts';
import {
  derivePath,
  OUTCOMES,
  parsePathKey,
  type PathFacts,
  toPathKey,
  VERDICTS,
} from '../../../src/domain/counts/decision-path.ts';
import { buildFlow, STAGES } from '../../../src/domain/counts/flow.ts';
import { NameSlots, resolvePath } from '../../../src/domain/counts/name-slots.ts';
import { findDecidingId, rankTop } from '../../../src/domain/counts/top-lists.ts';
import { findPercentile, toWaitBucket } from '../../../src/domain/counts/wait-buckets.ts';
import type { ExecutionPayload, ReviewPayload } from '../../../src/domain/record/payload.ts';
import { compareSpans, countBuckets } from '../../../src/domain/series.ts';
import { chooseRuns } from '../../setup/runs.ts';

const AGENT = 'a'.repeat(24);
const USER = 'b'.repeat(24);
const facts = (more: Partial<PathFacts> = {}): PathFacts => ({
  verdict: 'flagged',
  agentId: AGENT,
  agentName: 'Till',
  matchedPolicyIds: ['c'.repeat(24)],
  timestamp: new Date(0),
  ...more,
});
const review = (
  decision: 'approve' | 'reject',
  commitments: object = {},
  actor: object = { kind: 'user', id: USER },
) => ({ kind: 'review', decision, commitments, actor }) as unknown as ReviewPayload;
const execution = (state: string) =>
  ({ kind: 'execution', state, commitments: {} }) as unknown as ExecutionPayload;
const system = { kind: 'system', id: null };

describe('the path of a decision', () => {
  test.each([
    ['blocked', { verdict: 'blocked' }, [], 'none stopped'],
    ['approved', { verdict: 'approved' }, [], 'none allowed'],
    ['claimed', { verdict: 'approved' }, [execution('claimed')], 'none claimed'],
    ['held', {}, [], 'waiting waiting'],
    ['approved by a person', {}, [review('approve')], `${USER} allowed`],
    ['rejected', {}, [review('reject')], `${USER} stopped`],
    [
      'approved and carried out',
      {},
      [review('approve'), execution('claimed'), execution('succeeded')],
      `${USER} succeeded`,
    ],
    ['withdrawn', {}, [review('reject', { withdrawn: 'x' })], 'withdrawn stopped'],
    ['expired', {}, [review('reject', { expired: 'x' }, system)], 'expired stopped'],
    ['approved by lapse', {}, [review('approve', { expired: 'x' }, system)], 'expired allowed'],
    ['approved like others', {}, [review('approve', {}, system)], 'automatic allowed'],
    [
      'decided by a key',
      {},
      [review('approve', {}, { kind: 'workspaceKey', id: USER })],
      'key allowed',
    ],
    ['erased', { timestamp: null }, [], 'erased erased'],
  ] as const)('%s', (_, more, later, expected) => {
    const { decider, outcome } = derivePath(facts(more), later);
    expect(`${decider} ${outcome}`).toBe(expected);
  });

  test.each([
    ['registered', {}, AGENT],
    ['marked', { agentName: null, answer: { agentMark: 'm' } }, '~m'],
    // A caller may send the id of an agent that is not the organisation's.
    ['an id of others', { agentName: null, agentId: 'f'.repeat(24) }, 'unnamed'],
    ['none', { agentName: null, agentId: null, answer: null }, 'unnamed'],
  ] as const)('its agent: %s', (_, more, agent) => {
    expect(derivePath(facts(more), []).agent).toBe(agent);
  });

  test('a key is read back as it was', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9_~-]{1,24}$/);
    const path = fc.record({
      agent: word,
      policies: fc.array(word, { maxLength: 8 }),
      verdict: fc.constantFrom(...VERDICTS),
      decider: word,
      outcome: fc.constantFrom(...OUTCOMES),
    });
    fc.assert(
      fc.property(path, (given) => {
        expect(parsePathKey(toPathKey(given))).toEqual(given);
      }),
      { numRuns: chooseRuns(50, 1000) },
    );
    expect(parsePathKey('')).toBeNull();
    expect(parsePathKey('a|b|held|c|d')).toBeNull();
  });
});

test('the first names of a day keep their places, and later ones share one', () => {
  const names = fc.array(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 200 });
  fc.assert(
    fc.property(names, names, (known, later) => {
      const first = new NameSlots([], 8);
      const placed = known.map((name) => first.resolveName(name));
      const counted = placed.filter((name) => name !== 'other');
      expect(new Set(counted).size).toBeLessThanOrEqual(8);
      // A later run that knows what was counted places every name as the earlier one did.
      const second = new NameSlots(counted, 8);
      if (new Set(counted).size === 8)
        for (const name of later) expect(second.resolveName(name)).toBe(first.resolveName(name));
      expect(known.map((name) => second.resolveName(name))).toEqual(placed);
    }),
    { numRuns: chooseRuns(50, 500) },
  );
});

test('only what callers choose gives way', () => {
  const slots = { agents: new NameSlots([], 0), sets: new NameSlots([], 0) };
  const registered = derivePath(facts(), []);
  expect(resolvePath(registered, slots)).toEqual(registered);
  const free = { ...registered, agent: '~m', policies: ['c', 'd'] };
  expect(resolvePath(free, slots)).toMatchObject({ agent: 'other', policies: ['other'] });
});

test('the links of every stage add up to the total, and to their nodes', () => {
  const name = fc.integer({ min: 0, max: 12 }).map((at) => `n${at}`);
  const path = fc.record({
    agent: name,
    policy: name,
    verdict: fc.constantFrom(...VERDICTS),
    decider: name,
    outcome: fc.constantFrom(...OUTCOMES),
    count: fc.integer({ min: 1, max: 1000 }),
  });
  fc.assert(
    fc.property(
      fc.array(path, { maxLength: 60 }),
      fc.integer({ min: 1, max: 6 }),
      (paths, most) => {
        const { total, nodes, links } = buildFlow(paths, most);
        expect(total).toBe(paths.reduce((sum, { count }) => sum + count, 0));
        const add = (items: readonly { count: number }[]) =>
          items.reduce((sum, { count }) => sum + count, 0);
        for (const [at, stage] of STAGES.entries()) {
          const here = nodes.filter((node) => node.stage === stage);
          expect(here.length).toBeLessThanOrEqual(most + 1);
          expect(add(here)).toBe(total);
          for (const { key, count } of here) {
            const out = links.filter((link) => link.stage === stage && link.from === key);
            const into = links.filter((link) => link.stage === STAGES[at - 1] && link.to === key);
            if (at < STAGES.length - 1) expect(add(out)).toBe(count);
            if (at > 0) expect(add(into)).toBe(count);
          }
        }
      },
    ),
    { numRuns: chooseRuns(30, 500) },
  );
});

describe('percentiles', () => {
  test('are exact to a fifth', () => {
    const seconds = fc.double({ min: 1, max: 3_000_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 200 }), (all) => {
        const counts = new Map<number, number>();
        for (const one of all)
          counts.set(toWaitBucket(one), (counts.get(toWaitBucket(one)) ?? 0) + 1);
        const sorted = all.toSorted((a, b) => a - b);
        for (const share of [0.5, 0.95]) {
          const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
          const found = findPercentile(counts, share) ?? 0;
          expect(found / exact).toBeGreaterThan(1 / 1.21);
          expect(found / exact).toBeLessThan(1.21);
        }
      }),
      { numRuns: chooseRuns(30, 500) },
    );
  });

  test('of nothing there are none', () => {
    expect(findPercentile(new Map(), 0.5)).toBeNull();
    expect(toWaitBucket(-5)).toBe(0);
    expect(toWaitBucket(Number.NaN)).toBe(0);
    expect(toWaitBucket(1e12)).toBe(89);
  });
});

test.each([
  [0, 0],
  [0.0499, 0],
  [0.05, 1],
  [0.15, 3],
  [0.35, 7],
  [0.8, 16],
  [1, 19],
  [null, null],
  [undefined, null],
  [1.2, null],
])('the confidence %s is in bin %s', (score, bin) => {
  expect(toConfidenceBin(score)).toBe(bin);
});

test.each([
  ['blocked', 'stops'],
  ['flagged', 'holds'],
  ['approved', 'tells'],
] as const)('what decided when the verdict is %s: the first whose action it is', (verdict, id) => {
  const actions = new Map([
    ['tells', ['notify']],
    ['holds', ['notify', 'flag_for_review']],
    ['stops', ['block', 'flag_for_review']],
  ]);
  const path = { ...derivePath(facts({ verdict }), []), policies: [...actions.keys()] };
  expect(findDecidingId(path, (policy) => actions.get(policy))).toBe(id);
  expect(findDecidingId(path, () => undefined)).toBe('tells');
  expect(findDecidingId({ ...path, policies: [] }, () => undefined)).toBe('none');
});

test('a list compares with the span before, and counts a path once for each of its policies', () => {
  const path = derivePath(facts({ matchedPolicyIds: ['p', 'q', 'p'] }), []);
  const spans = { now: [{ ...path, count: 3 }], before: [{ ...path, count: 1 }] };
  const before = { count: 1, held: 1, blocked: 0 };
  expect(rankTop(spans, ({ policies }) => policies)).toEqual(
    ['p', 'q'].map((key) => ({ key, count: 3, held: 3, blocked: 0, before })),
  );
});

test('a short span that is kept is counted by hours, others by days; the one before is as long', () => {
  const kept = new Date('2026-10-20T00:00:00Z');
  const span = (from: string, to: string) => compareSpans(new Date(from), new Date(to), kept);
  expect(span('2026-11-29T15:30:00Z', '2026-11-30T14:20:00Z')).toEqual({
    bucket: 'hour',
    before: new Date('2026-11-28T15:00:00Z'),
    from: new Date('2026-11-29T15:00:00Z'),
    to: new Date('2026-11-30T15:00:00Z'),
  });
  expect(span('2026-10-21T00:00:00Z', '2026-10-22T12:00:00Z')).toMatchObject({ bucket: 'day' });
  const month = span('2026-11-01T12:00:00Z', '2026-11-30T12:00:00Z');
  expect(month).toMatchObject({ bucket: 'day', before: new Date('2026-10-02T00:00:00Z') });
  expect(countBuckets(month)).toBe(30);
});
