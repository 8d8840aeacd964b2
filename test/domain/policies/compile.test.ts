// Sets of policies: order, precedence, errors, reasons, digest, sharing of work and reuse between compilations.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@assay/json';
import {
  compilePolicies,
  type PolicyCache,
  actionTypes,
  type ActionType,
  type Condition,
} from '@assay/policy';
import { always, policy } from './build.ts';
import { computePolicySetDigest } from '../record/policy-set-digest.ts';

/** Fails on every array of texts that is long enough: the one error that valid policies can have. */
const failing: Condition = { field: 'texts', operator: 'regex', value: '[a-z]{400}!' };
const tooLong: JsonObject = {
  texts: Array.from({ length: 70 }, () => 'x'.repeat(1_000)),
  yes: 1,
  no: 0,
};
const yes: Condition = { field: 'yes', operator: 'equals', value: 1 };
const no: Condition = { field: 'no', operator: 'equals', value: 1 };

describe('precedence', () => {
  const statuses = {
    block: 'blocked',
    flag_for_review: 'flagged',
    notify: 'approved',
    approve: 'approved',
  };
  const pairs = actionTypes.flatMap((a) => actionTypes.map((b) => [a, b] as const));

  it.each(pairs)('%s at priority 100 and %s at priority 1', (late, early) => {
    const verdict = compilePolicies([
      always('late', 100, late),
      always('early', 1, early),
    ]).evaluate({});
    const rank = (type: ActionType) => actionTypes.indexOf(type);
    const action = rank(early) <= rank(late) ? early : late;
    expect(verdict).toMatchObject({
      action,
      status: statuses[action],
      decidedBy: action === early ? 'early' : 'late',
    });
    expect(verdict.matched.map(({ id }) => id)).toEqual(['early', 'late']);
  });

  it('collects all actions of a policy, and names the first policy that carries the winner', () => {
    const set = compilePolicies([
      always('a', 1, 'approve', 'notify'),
      always('c', 2, 'notify', 'block'),
      always('b', 2, 'block'),
    ]);
    expect(set.evaluate({})).toMatchObject({ action: 'block', decidedBy: 'b' });
    expect(set.members).toEqual([
      { id: 'a', revision: 1 },
      { id: 'b', revision: 1 },
      { id: 'c', revision: 1 },
    ]);
  });

  it('approves when nothing matches, and in an empty set', () => {
    const approved = {
      action: 'approve',
      status: 'approved',
      decidedBy: null,
      matched: [],
      failed: [],
      observed: [],
      limits: [],
    };
    expect(compilePolicies([policy({ id: 'p', conditions: [no] })]).evaluate({ no: 0 })).toEqual(
      approved,
    );
    expect(compilePolicies([]).evaluate({})).toEqual(approved);
  });

  it('carries the configs of notify actions', () => {
    const set = compilePolicies([
      policy({
        id: 'p',
        actions: [{ type: 'notify', config: { to: 'a' } }, { type: 'block' }, { type: 'notify' }],
      }),
    ]);
    expect(set.evaluate({}).matched[0]?.notifications).toEqual([{ to: 'a' }, {}]);
  });
});

describe('errors', () => {
  const restricting: [string, Condition[], boolean][] = [
    ['alone', [failing], true],
    ['AND true', [failing, yes], true],
    ['AND false', [failing, no], false],
    ['false AND', [no, failing], false],
    ['OR false', [{ ...failing, logicalOperator: 'OR' }, no], true],
    ['then a false guard behind an OR', [{ ...failing, logicalOperator: 'OR' }, yes, no], false],
  ];

  it.each(restricting)('%s in a restricting policy: a match %#', (_, conditions, matches) => {
    for (const type of ['block', 'flag_for_review'] as const) {
      const verdict = compilePolicies([
        policy({ id: 'p', conditions, actions: [{ type }] }),
      ]).evaluate(tooLong);
      expect(verdict.action).toBe(matches ? type : 'approve');
      expect(verdict.matched.map(({ error }) => error)).toEqual(
        matches ? [expect.stringContaining('too long')] : [],
      );
    }
  });

  it('does not matter where another condition settles the policy', () => {
    const conditions: Condition[] = [{ ...yes, logicalOperator: 'OR' }, failing];
    expect(
      compilePolicies([policy({ id: 'p', conditions })]).evaluate(tooLong).matched[0]?.error,
    ).toBeNull();
  });

  it('never approves because of a pattern that was saved under other rules', () => {
    const set = compilePolicies([
      policy({ id: 'p', conditions: [{ field: 'text', operator: 'regex', value: '(?=x)' }] }),
    ]);
    expect(set.evaluate({ text: 'x' })).toMatchObject({
      action: 'block',
      matched: [{ error: expect.stringContaining('is not a valid RE2 pattern') as string }],
    });
    expect(set.evaluate({}).action).toBe('approve');
  });
});

describe('reasons', () => {
  const conditions: Condition[] = [
    { field: 'tags', operator: 'contains', value: 'A', logicalOperator: 'OR' },
    { field: 'confidenceScore', operator: 'less_than', value: 0.5 },
  ];
  const weak = { type: 'notify' as const, config: { reason: 'weak' } };
  const reasonOf = (parts: Parameters<typeof policy>[0]) =>
    compilePolicies([policy(parts)]).evaluate({ tags: ['A'] }).matched[0]?.reason;

  it('is that of the strongest action, else the description, else the conditions in words', () => {
    const strong = { type: 'block' as const, config: { reason: 'strong' } };
    expect(
      reasonOf({ id: 'p', description: 'described', conditions, actions: [weak, strong] }),
    ).toBe('strong');
    expect(
      reasonOf({
        id: 'p',
        description: 'described',
        conditions,
        actions: [weak, { type: 'block', config: { reason: 7 } }],
      }),
    ).toBe('described');
    expect(reasonOf({ id: 'p', conditions, actions: [weak, { type: 'block' }] })).toBe(
      'tags contains "A" or confidenceScore is less than 0.5',
    );
    expect(reasonOf({ id: 'p' })).toBe('Applies to every decision');
  });

  it('stays short for long conditions', () => {
    const value = Array.from({ length: 400 }, () => 'long');
    const set = compilePolicies([
      policy({ id: 'p', conditions: [{ field: 'x', operator: 'equals', value }] }),
    ]);
    expect(set.evaluate({ x: value }).matched[0]?.reason).toHaveLength(500);
  });
});

describe('digest', () => {
  const a = policy({
    id: 'a',
    priority: 2,
    conditions: [{ value: 1, operator: 'equals', field: 'x' }],
    actions: [{ type: 'block' }],
  });
  const b = policy({
    id: 'b',
    priority: 1,
    conditions: [{ field: 'x', operator: 'equals', value: 1, logicalOperator: 'AND' }],
    actions: [{ type: 'notify', config: { b: 1, a: 2 } }],
  });
  const hex = (text: string) => createHash('sha256').update(text).digest('hex');

  it('is the SHA-256 of the JCS text of the set in order', () => {
    const text =
      '[{"actions":[{"config":{"a":2,"b":1},"type":"notify"}],"conditions":[{"field":"x","logicalOperator":"AND","operator":"equals","value":1}],"id":"b","priority":1},' +
      '{"actions":[{"type":"block"}],"conditions":[{"field":"x","operator":"equals","value":1}],"id":"a","priority":2}]';
    expect(computePolicySetDigest([a, b])).toBe(hex(text));
    expect(compilePolicies([a, b]).digest).toBe(hex(text));
    expect(compilePolicies([]).digest).toBe(hex('[]'));
  });

  it('changes with what is judged, not with names', () => {
    const digest = (one: typeof a): string => compilePolicies([one]).digest;
    expect(digest({ ...a, name: 'x', description: 'y', revision: 9 })).toBe(digest(a));
    expect(digest({ ...a, priority: 3 })).not.toBe(digest(a));
  });
});

describe('work', () => {
  const many = Array.from({ length: 200 }, (_, i) =>
    policy({
      id: `p${i}`,
      conditions: [
        { field: 'agentName', operator: 'equals', value: `agent-${i % 20}` },
        { field: 'confidenceScore', operator: 'less_than', value: (i % 4) / 4 },
        { field: 'inputContext.prompt', operator: 'contains', value: `word${i % 3}` },
      ],
    }),
  );

  /** Facts of one agent that note which of their members are read. */
  function watched(agentName: string, reads: string[]): JsonObject {
    const facts: JsonObject = {
      agentName,
      confidenceScore: 0.1,
      inputContext: { prompt: 'word0 word1 word2' },
    };
    return new Proxy(facts, {
      get(target, key) {
        reads.push(String(key));
        return Reflect.get(target, key) as unknown;
      },
    });
  }

  it('reads each distinct field at most once, and only those that a candidate needs', () => {
    const set = compilePolicies(many);
    expect(set.fields).toEqual(['agentName', 'confidenceScore', 'inputContext.prompt']);
    const reads: string[] = [];
    expect(set.evaluate(watched('agent-3', reads)).matched).toHaveLength(10);
    expect(reads.sort()).toEqual(['agentName', 'confidenceScore', 'inputContext']);
    const fewer: string[] = [];
    expect(set.evaluate(watched('unknown', fewer)).matched).toEqual([]);
    expect(fewer).toEqual(['agentName']);
  });

  it('tests each distinct condition at most once', () => {
    let looks = 0;
    const tags = new Proxy(['A', 'B'], {
      get(target, key) {
        if (key === 'includes') looks++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const shared = Array.from({ length: 50 }, (_, i) =>
      policy({
        id: `p${i}`,
        conditions: [{ field: 'tags', operator: 'contains', value: i % 2 ? 'B' : 'X' }],
      }),
    );
    expect(compilePolicies(shared).evaluate({ tags }).matched).toHaveLength(25);
    expect(looks).toBe(2);
  });

  it('compiles again only what changed, and forgets what left', () => {
    const cache: PolicyCache = new Map();
    compilePolicies(many, cache);
    const before = new Map(cache);
    const changed = { ...many[1]!, revision: 2, conditions: [] };
    const set = compilePolicies([many[0]!, changed, ...many.slice(3)], cache);
    expect(cache.size).toBe(199);
    expect(
      [...cache].filter(([key, compiled]) => before.get(key) !== compiled).map(([key]) => key),
    ).toEqual(['p1@2']);
    expect(set.evaluate({})).toMatchObject({
      decidedBy: 'p1',
      matched: [{ id: 'p1', revision: 2 }],
    });
    expect(set.digest).toBe(computePolicySetDigest([many[0]!, changed, ...many.slice(3)]));
  });

  it('keeps nothing between evaluations', () => {
    const set = compilePolicies(many);
    const facts = { agentName: 'agent-1', confidenceScore: 0, inputContext: { prompt: 'word1' } };
    const first = set.evaluate(facts);
    expect(first.matched.length).toBeGreaterThan(0);
    expect(set.evaluate({}).matched).toEqual([]);
    expect(set.evaluate(facts)).toEqual(first);
  });
});
