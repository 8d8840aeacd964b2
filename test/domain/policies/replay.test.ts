// Replays decisions from their committed values: the same policies match, or are named as undecided.
// @module-tag varied
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, type Json, type JsonObject } from '@assay/json';
import { createScrubber } from '@assay/scrub';
import {
  compilePolicies,
  type Condition,
  sumExactly,
  type RecordedDecision,
  type RecordedEvaluation,
  type RecordedFacts,
  replayJudgement,
  policyTemplates,
} from '@assay/policy';
import { DEFAULT_AGENT_POLICIES } from '../../../src/domain/agents/agent-policies.ts';
import { JUDGING_VERSION, PATTERN_ENGINE } from '../../../src/domain/judging-version.ts';
import {
  evaluateSubmission,
  type Judgement,
} from '../../../src/decisions/traces/ingestion/judge.ts';
import { chooseRuns } from '../../setup/runs.ts';
import { policy } from './build.ts';
import { anyDecision } from '../record/any-decision.ts';

const scrubber = createScrubber({ nationalIds: true, extended: true });
const versionScrubber = createScrubber({ nationalIds: true, extended: false });
const flags = (id: string, ...conditions: Condition[]) =>
  policy({ id, conditions, actions: [{ type: 'flag_for_review' }] });
const own = [
  flags('order', { field: 'output.text', operator: 'regex', value: 'alpha\nbeta' }),
  flags('sum', { field: 'action.totalAmount', operator: 'greater_than', value: 0.6 }),
  flags('whom', {
    field: 'action.recipientDomains',
    operator: 'contains',
    value: 'example.org',
  }),
  flags('types', { field: 'pii.outputTypes', operator: 'contains', value: 'EMAIL' }),
  flags('text', { field: 'output.text', operator: 'contains', value: 'bob' }),
  flags('why', { field: 'rationale', operator: 'regex', value: '.' }),
  flags('who', { field: 'agentName', operator: 'equals', value: 'Desk' }),
  flags('named', { field: 'agentId', operator: 'contains', value: 'bob' }),
  flags('doubt', { field: 'tags', operator: 'contains', value: 'HIGH_AMBIGUITY' }),
];
const library = policyTemplates.map(({ id, conditions, actions }) =>
  policy({ id, conditions, actions }),
);
const policies = compilePolicies([...own, ...library]);
const agent = {
  agentId: 'a'.repeat(24),
  name: 'Desk',
  keyName: 'Desk',
  workspaceId: 'w',
  policies: DEFAULT_AGENT_POLICIES,
  pausedBecause: null,
};

function judged(submitted: JsonObject): Judgement {
  return evaluateSubmission(submitted, {
    agent,
    agentPolicies: agent.policies,
    history: { recentOverrideRate: null, recentFlagRate: null },
    policies,
    scrubber,
    versionScrubber,
    at: new Date('2026-03-04T10:00:00Z'),
  });
}

/** The committed values, as they are read back. */
function recorded({ evaluation, facts, content }: Judgement): RecordedDecision {
  const { agentId, agentVersion, timestamp, ...rest } = content;
  const inside = (rest['outputDecision'] as JsonObject)['rationale'];
  const kept = { ...rest, rationale: rest['rationale'] ?? inside };
  const read = <T>(value: Json): T => JSON.parse(canonicalize(value)) as T;
  const present = (values: Record<string, Json | undefined>): JsonObject =>
    Object.fromEntries(
      Object.entries(values).filter((entry): entry is [string, Json] => entry[1] != null),
    );
  return {
    evaluation: read<RecordedEvaluation>(evaluation),
    facts: read<RecordedFacts>(facts),
    origin: present({ agentId, agentVersion, timestamp }),
    content: read<JsonObject>(present(kept)),
    schemaVersion: '2026-04-11',
  };
}

/** The same value with the keys of every object in another order. */
function shuffled(given: Json, turn: number): Json {
  if (given === null || typeof given !== 'object') return given;
  if (Array.isArray(given)) return given.map((item) => shuffled(item, turn + 1));
  const members = Object.entries(given).map(
    ([key, item]) => [key, shuffled(item, turn + 1)] as const,
  );
  const at = turn % Math.max(1, members.length);
  return Object.fromEntries([...members.slice(at), ...members.slice(0, at)].toReversed());
}

const many = { numRuns: chooseRuns(300, 2_000) };

describe('a decision', () => {
  test('is judged the same whatever the order of its keys, and replays alike except for undecided policies', () => {
    let decidedCount = 0;
    fc.assert(
      fc.property(anyDecision, fc.nat(20), (given, turn) => {
        const [one, other] = [judged(given), judged(shuffled(given, turn) as JsonObject)];
        expect(canonicalize(other.evaluation)).toBe(canonicalize(one.evaluation));
        expect(canonicalize(other.content)).toBe(canonicalize(one.content));
        const { matched, undecided, isSame } = replayJudgement(recorded(one), policies);
        expect(isSame).toBe(true);
        const { matchedPolicies } = recorded(one).evaluation;
        const before = matchedPolicies.map(({ id }) => id);
        expect(matched).toEqual(before.filter((id) => !undecided.includes(id)));
        if (matched.length > 0) decidedCount++;
      }),
      many,
    );
    expect(decidedCount).toBeGreaterThan(many.numRuns / 10);
  });

  test('that was changed is not the same', () => {
    const record = recorded(judged(submittedTo('alpha')));
    const forged = { ...record, content: submittedTo('alpha\nbeta') };
    expect(replayJudgement(forged, policies).isSame).toBe(false);
  });

  test('without committed facts leaves policies undecided that read more than score and tags', () => {
    const { facts, ...before } = recorded(judged(submittedTo('bob@example.org')));
    expect(facts).toBeDefined();
    const { undecided, isSame } = replayJudgement(before, policies);
    expect(isSame).toBe(true);
    expect(undecided).toEqual(expect.arrayContaining(['whom', 'types', 'who', 'text']));
    expect(undecided).not.toContain('doubt');
  });
});

const submittedTo = (to: string): JsonObject => ({
  agentId: 'desk',
  inputContext: { prompt: 'p' },
  outputDecision: { action: { tool: 'mail', to } },
});

test('conditions on what was derived from scrubbed values are named', () => {
  const { evaluation } = judged(submittedTo('bob@example.org'));
  expect(evaluation['scrubbed']).toEqual(
    expect.arrayContaining(['output.text', 'action.recipientDomains']),
  );
});

/** The sum of texts with 40 places, digit by digit. */
function decimalSum(values: readonly number[]): number {
  const PLACES = 40;
  const sum = values.map(String).reduce((total, text) => {
    const [whole = '', part = ''] = text.split('.');
    return total + BigInt(whole + part.padEnd(PLACES, '0'));
  }, 0n);
  return Number(`${sum}e-${PLACES}`);
}

test('amounts of any size and number of places are summed exactly, in any order', () => {
  const plain = fc
    .oneof(
      fc.double({ min: -1e15, max: 1e15, noNaN: true }),
      fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
      fc.maxSafeInteger().map((cents) => cents / 100),
    )
    .filter((value) => !String(value).includes('e'));
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 30 }), (values) => {
      const sum = decimalSum(values);
      expect(sumExactly(values) + 0).toBe(sum + 0);
      expect(sumExactly(values.toReversed()) + 0).toBe(sum + 0);
    }),
  );
});

test('amounts are summed exactly', () => {
  expect(sumExactly([0.1, 0.2, 0.3])).toBe(0.6);
  expect(sumExactly([])).toBe(0);
  // Eleven come to more hundredths than a number holds exactly.
  const large = Array.from({ length: 11 }, () => 9_999_999_999_999.97);
  expect(sumExactly([...large, ...large.slice(1).map((value) => -value)])).toBe(
    9_999_999_999_999.97,
  );
  expect(sumExactly([1e21, 1e-7, 5])).toBe(1e21);
  expect(sumExactly([1e20, 0.5, 0.25])).toBe(1e20);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 20 }), (cents) => {
      const amounts = cents.map((cent) => cent / 100);
      const sum = cents.reduce((total, cent) => total + cent, 0);
      expect(sumExactly(amounts)).toBe(sum / 100);
      expect(sumExactly(amounts.toReversed())).toBe(sum / 100);
    }),
  );
});

test('the version names every engine', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(PATTERN_ENGINE).toBe(`re2js-${dependencies['re2js']}`);
  expect(JUDGING_VERSION).toMatch(
    /^confidence-\d+\.policy-\d+\.re2js-[\d.]+\.scrub-\d+\.state-\d+$/,
  );
  expect(JUDGING_VERSION.length).toBeLessThanOrEqual(64);
});
