// What each figure shows of a clause: three answers, and a table that names only what there is.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listMeasures } from '../../../src/domain/compliance/clause-measures.ts';
import { CATALOGUES, FRAMEWORKS } from '../../../src/domain/compliance/frameworks.ts';
import {
  type Answer,
  type MeasuredFacts,
  joinAnswers,
  type Measure,
  MEASURE_NAMES,
  MEASURES,
} from '../../../src/domain/compliance/measures.ts';

const now = new Date('2026-11-30T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const nothing: MeasuredFacts = {
  now,
  decisions: 0,
  held: 0,
  waits: { count: 0, p50Seconds: null, p95Seconds: null },
  queue: { waiting: 0, overdue: 0 },
  stops: { all: 0, binding: 0 },
  chain: { entries: 0, verifiedAt: null, isIntact: null },
  anchor: null,
  auditEntries: 0,
  incidents: { opened: 0, open: 0, breached: 0 },
  assessments: { all: 0, approved: 0 },
  members: { all: 1, managers: 1, secured: 0 },
  policies: { judging: 0, observing: 0 },
  isApprovalRequired: false,
  erasures: { executed: 0, underWay: 0 },
  agents: { registered: 0, unregistered: 0 },
  alertRules: 0,
};
const chain = { entries: 9, isIntact: true };

describe('a measure answers by what was read', () => {
  test.each<[Measure, Partial<MeasuredFacts>, Answer]>([
    ['oversight', {}, 'cannot-tell'],
    ['oversight', { held: 2 }, 'not-shown'],
    ['oversight', { held: 2, waits: { count: 1, p50Seconds: 9, p95Seconds: 7300 } }, 'shown'],
    ['queue', {}, 'cannot-tell'],
    ['queue', { held: 1 }, 'shown'],
    ['queue', { queue: { waiting: 2, overdue: 1 } }, 'not-shown'],
    ['stop', {}, 'cannot-tell'],
    ['stop', { stops: { all: 1, binding: 0 } }, 'shown'],
    ['log', {}, 'cannot-tell'],
    ['log', { chain: { ...chain, verifiedAt: null } }, 'cannot-tell'],
    ['log', { chain: { ...chain, verifiedAt: hoursAgo(47) } }, 'shown'],
    ['log', { chain: { ...chain, verifiedAt: hoursAgo(49) } }, 'cannot-tell'],
    ['log', { chain: { ...chain, verifiedAt: hoursAgo(49), isIntact: false } }, 'not-shown'],
    ['witness', {}, 'cannot-tell'],
    ['witness', { anchor: { treeSize: 4, isWitnessed: false, sealedAt: now } }, 'not-shown'],
    ['witness', { anchor: { treeSize: 4, isWitnessed: true, sealedAt: now } }, 'shown'],
    ['audit', {}, 'not-shown'],
    ['audit', { auditEntries: 1 }, 'shown'],
    ['incidents', {}, 'cannot-tell'],
    ['incidents', { incidents: { opened: 1, open: 1, breached: 0 } }, 'shown'],
    ['incidents', { incidents: { opened: 1, open: 0, breached: 1 } }, 'not-shown'],
    ['assessments', { assessments: { all: 1, approved: 0 } }, 'not-shown'],
    ['assessments', { assessments: { all: 2, approved: 1 } }, 'shown'],
    ['access', {}, 'not-shown'],
    ['access', { members: { all: 2, managers: 1, secured: 2 } }, 'shown'],
    ['roles', {}, 'cannot-tell'],
    ['roles', { members: { all: 2, managers: 2, secured: 2 } }, 'not-shown'],
    ['roles', { members: { all: 2, managers: 1, secured: 0 } }, 'shown'],
    ['policies', { policies: { judging: 0, observing: 3 } }, 'not-shown'],
    ['policies', { policies: { judging: 1, observing: 0 } }, 'shown'],
    ['changes', {}, 'not-shown'],
    ['changes', { isApprovalRequired: true }, 'shown'],
    ['erasure', {}, 'cannot-tell'],
    ['erasure', { erasures: { executed: 0, underWay: 1 } }, 'not-shown'],
    ['erasure', { erasures: { executed: 1, underWay: 0 } }, 'shown'],
    ['agents', {}, 'cannot-tell'],
    ['agents', { agents: { registered: 1, unregistered: 1 } }, 'not-shown'],
    ['agents', { agents: { registered: 1, unregistered: 0 } }, 'shown'],
    ['monitoring', {}, 'cannot-tell'],
    ['monitoring', { decisions: 1 }, 'shown'],
    ['alerts', {}, 'not-shown'],
    ['alerts', { alertRules: 1 }, 'shown'],
  ])('%s of %j: %s', (measure, facts, answer) => {
    const judged = MEASURES[measure].judge({ ...nothing, ...facts });
    expect(judged).toMatchObject({ answer, finding: expect.stringMatching(/^[A-Z0-9].*\.$/) });
  });

  test('a finding has the figures in words', () => {
    const waits = { count: 3, p50Seconds: 90, p95Seconds: 7300 };
    expect(MEASURES.oversight.judge({ ...nothing, held: 4, waits }).finding).toBe(
      'People decided 3 holds, half within 90 s, 95 % within 2 h.',
    );
  });
});

test.each<[Answer[], Answer]>([
  [[], 'cannot-tell'],
  [['shown'], 'shown'],
  [['shown', 'cannot-tell'], 'cannot-tell'],
  [['cannot-tell', 'not-shown', 'shown'], 'not-shown'],
])('a clause with %j: %s', (answers, joined) => {
  expect(joinAnswers(answers)).toBe(joined);
});

describe('the table', () => {
  const named = FRAMEWORKS.flatMap((framework) =>
    CATALOGUES[framework].clauses.map(({ clauseId }) => listMeasures(framework, clauseId)),
  );
  test('names clauses that there are, and uses every measure', () => {
    const source = readFileSync('src/domain/compliance/clause-measures.ts', 'utf8');
    const rows = source.match(/^ {4}\S+: \[/gm) ?? [];
    expect(named.filter((measures) => measures.length > 0)).toHaveLength(rows.length);
    expect(new Set(named.flat())).toEqual(new Set(MEASURE_NAMES));
  });

  test('leads to pages and routes that there are', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: object };
    const files = readdirSync('console/src/pages', { recursive: true, encoding: 'utf8' });
    const routes = files.filter((file) => /\.routes?\.ts$/.test(file));
    const pages = routes
      .map((file) => readFileSync(`console/src/pages/${file}`, 'utf8'))
      .join('\n');
    for (const { page, source } of Object.values(MEASURES)) {
      expect(Object.keys(paths)).toContain(`/api/v1${source}`);
      expect(pages).toMatch(new RegExp(`path: '${page}['/]`));
    }
  });
});
