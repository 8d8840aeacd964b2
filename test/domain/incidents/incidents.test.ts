// The rules of incidents: deadlines, rule files, the standing of a clock, checkpoint ids, the two vocabularies.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findRuleInForce,
  getCadenceRule,
  REGULATORS,
  RULES,
} from '../../../src/domain/incidents/cadence.ts';
import {
  toCheckpointId,
  findCheckpoint,
  completeCheckpoint,
  type IncidentClock,
  findNextBreach,
  restartClock,
  settleClocks,
  computeStanding,
  startClock,
} from '../../../src/domain/incidents/clock.ts';
import { addDuration } from '../../../src/domain/incidents/deadline.ts';
import {
  INCIDENT_STATUSES,
  isManagerOnly,
  REPORTING_STATUSES,
  RESPONSE_STATUSES,
  translateStatus,
} from '../../../src/domain/incidents/incident-status.ts';

const HOUR = 3_600_000;
const START = new Date('2026-10-01T00:00:00Z');
const after = (hours: number): Date => new Date(START.getTime() + hours * HOUR);
const done = (at: Date) => ({
  completedAt: at,
  completedBy: 'u',
  evidenceTraceId: null,
  evidenceUrl: null,
  notes: null,
});

interface Vectors {
  cadence: { case: string; detectedAt: string; deadlines: Record<string, string[]> }[];
  durations: { start: string; after: string; deadline: string }[];
}
const vectors = JSON.parse(
  readFileSync('test/vectors/governance/incident-deadlines.json', 'utf8'),
) as Vectors;

describe('deadlines', () => {
  test.each(vectors.cadence)('$case', ({ detectedAt, deadlines }) => {
    expect(Object.keys(deadlines)).toEqual([...REGULATORS]);
    for (const regulator of REGULATORS) {
      const clock = startClock(regulator, new Date(detectedAt), null);
      expect(clock.checkpoints.map(({ deadlineAt }) => deadlineAt.toISOString())).toEqual(
        deadlines[regulator],
      );
    }
  });
  test.each(vectors.durations)('$start and $after', ({ start, after: duration, deadline }) => {
    expect(addDuration(new Date(start), duration).toISOString()).toBe(deadline);
  });
  test.each(['', 'P', 'PT', '72', 'P1Y', 'P1M2D', 'PT1.5H', '-PT1H', 'P1W'])(
    'no duration: %s',
    (text) => {
      expect(() => addDuration(START, text)).toThrow('no duration');
    },
  );
  test('a month later is in the next month, on that day or its last', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
        (start) => {
          const end = addDuration(start, 'P1M');
          const months = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();
          expect(months(end) - months(start)).toBe(1);
          const isLast = new Date(end.getTime() + 24 * HOUR).getUTCDate() === 1;
          expect(end.getUTCDate() === start.getUTCDate() || isLast).toBe(true);
          expect(end.getTime() % (24 * HOUR)).toBe(start.getTime() % (24 * HOUR));
        },
      ),
    );
  });
});

describe('rule files', () => {
  const rules = REGULATORS.flatMap((regulator) =>
    RULES[regulator].map((rule) => ({ regulator, rule, version: rule.version })),
  );
  test('published rules never change, since incidents refer to them', () => {
    expect(rules.map(({ version, rule }) => `${version}: ${rule.articleRef}`)).toEqual([
      'gdpr-2018-05-25: Art. 33',
      'aiact-2026-08-02: Art. 73',
      'dora-2025-01-17: Art. 19',
      'nis2-2024-10-18: Art. 23',
      'cra-2026-09-11: Art. 11',
    ]);
  });
  test.each(rules)('$version', ({ version, regulator, rule }) => {
    const { inForceFrom, source, checkpoints } = rule;
    expect(version).toBe(`${regulator}-${inForceFrom}`);
    expect(new Date(inForceFrom).toISOString()).toContain(inForceFrom);
    expect(source).toMatch(/^(Regulation|Directive) \(EU\)/);
    const deadlines = checkpoints.map((checkpoint) => addDuration(START, checkpoint.after));
    expect(deadlines).toEqual([...deadlines].sort((a, b) => a.getTime() - b.getTime()));
    expect(checkpoints.at(-1)?.label).toBe('final');
    expect(getCadenceRule(version)).toBe(rule);
  });
  test('each list is dated, oldest first', () => {
    for (const list of Object.values(RULES)) {
      const dates = list.map(({ inForceFrom }) => inForceFrom);
      expect(dates).toEqual([...new Set(dates)].sort());
    }
  });
  test('the first rule also applies to earlier times, and unknown versions are refused', () => {
    expect(findRuleInForce('cra', new Date('2020-01-01')).version).toBe('cra-2026-09-11');
    expect(() => getCadenceRule('gdpr-1999-01-01')).toThrow('no rule');
  });
});

describe('the standing of a clock', () => {
  const nis2 = startClock('nis2', START, null);
  const complete = (clock: IncidentClock, index: number, hours: number): IncidentClock =>
    completeCheckpoint(clock, index, done(after(hours)));
  const first = complete(nis2, 0, 24);
  const all = complete(complete(first, 1, 30), 2, 31);
  test.each([
    ['just begun', nis2, 0, 'active', 24],
    ['at its deadline', nis2, 24, 'active', 24],
    ['past its deadline', nis2, 24.001, 'breached', 24],
    ['the first in time', first, 25, 'active', 72],
    ['the second missed', first, 73, 'breached', 72],
    ['all in time', all, 5000, 'completed', null],
    ['completed late', complete(nis2, 0, 25), 26, 'breached', 72],
    ['the last one first', complete(nis2, 2, 1), 2, 'active', 24],
    [
      'all, one of them late',
      complete(complete(complete(nis2, 0, 25), 1, 26), 2, 27),
      28,
      'breached',
      null,
    ],
    ['breached once', { ...all, status: 'breached' as const }, 31, 'breached', null],
    ['paused', { ...nis2, status: 'paused' as const }, 5000, 'paused', 24],
  ])('%s', (_, clock, hours, status, next) => {
    expect(computeStanding(clock, after(hours))).toEqual({
      status,
      nextCheckpointAt: next === null ? null : after(next),
      finalDeadlineAt: after(720),
    });
  });

  test('restarting moves open checkpoints and keeps completed ones', () => {
    const moved = restartClock(first, after(-10));
    expect(moved.clockStartedAt).toEqual(after(-10));
    expect(moved.checkpoints.map(({ deadlineAt }) => deadlineAt)).toEqual([24, 62, 710].map(after));
    expect(moved.ruleVersion).toBe(first.ruleVersion);
  });

  const clocks = fc
    .array(fc.constantFrom(...REGULATORS), { maxLength: 5 })
    .map((codes) => codes.map((code) => startClock(code, START, null)));
  const hours = fc.integer({ min: 0, max: 800 });
  test('a breach stays when the checkpoint is completed afterwards', () => {
    fc.assert(
      fc.property(clocks, hours, hours, (begun, early, late) => {
        const now = after(early);
        const then = settleClocks(begun, now);
        const later = settleClocks(
          then.map((clock) =>
            clock.checkpoints.reduce(
              (c, _, i) => completeCheckpoint(c, i, done(after(late))),
              clock,
            ),
          ),
          after(early + late),
        );
        for (const [index, { status }] of then.entries())
          if (status === 'breached') expect(later[index]?.status).toBe('breached');
      }),
    );
  });
  test('the next breach is the first moment after which some clock is breached', () => {
    fc.assert(
      fc.property(clocks, hours, (begun, at) => {
        const now = settleClocks(begun, after(at));
        const next = findNextBreach(now);
        const breached = (when: Date): number =>
          settleClocks(now, when).filter(({ status }) => status === 'breached').length;
        if (next === null) expect(breached(after(10_000))).toBe(breached(after(at)));
        else {
          expect(breached(next)).toBe(breached(after(at)));
          expect(breached(new Date(next.getTime() + 1))).toBeGreaterThan(breached(after(at)));
        }
      }),
    );
  });
  test('checkpoint ids count over all clocks and identify a checkpoint', () => {
    fc.assert(
      fc.property(clocks, (begun) => {
        const ids = begun.flatMap(({ checkpoints }, clock) =>
          checkpoints.map((_, index) => ({
            id: toCheckpointId(begun, clock, index),
            clock,
            index,
          })),
        );
        expect(ids.map(({ id }) => id)).toEqual(ids.map((_, at) => `cp-${at}`));
        for (const { id, clock, index } of ids)
          expect(findCheckpoint(begun, id)).toEqual({ clock, index });
        for (const id of [`cp-${ids.length}`, 'cp--1', 'cp-00', 'cp-', '0', 'cp-1.0', 'cp-1e1'])
          expect(findCheckpoint(begun, id)).toBeNull();
      }),
    );
  });
});

describe('the two vocabularies', () => {
  test('a status translates to itself where the vocabulary has it', () => {
    for (const status of REPORTING_STATUSES) expect(translateStatus(status).reporting).toBe(status);
    for (const status of RESPONSE_STATUSES) expect(translateStatus(status).response).toBe(status);
  });
  test.each([
    ['reported', 'reporting', 'reported', 'response', 'investigating'],
    ['resolved', 'reporting', 'resolved', 'response', 'mitigated'],
    ['archived', 'reporting', 'archived', 'response', 'closed'],
    ['mitigated', 'reporting', 'investigating', 'response', 'mitigated'],
    ['closed', 'reporting', 'resolved', 'response', 'closed'],
  ] as const)('%s', (status, _, reporting, __, response) => {
    expect(translateStatus(status)).toEqual({ reporting, response });
  });
  test('closing and opening again need a manager', () => {
    const pairs = INCIDENT_STATUSES.flatMap((from) =>
      INCIDENT_STATUSES.map((to) => [from, to] as const),
    );
    for (const [from, to] of pairs)
      expect(isManagerOnly(from, to)).toBe(from !== to && (from === 'closed' || to === 'closed'));
  });
});
