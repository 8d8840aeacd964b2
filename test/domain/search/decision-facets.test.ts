// Facets as terms: what a decision is, and what is asked for.
import { describe, expect, it, test } from 'vitest';
import { readActionSummary } from '@assay/policy';
import type { Json } from '@assay/json';
import {
  collectActionText,
  type FacetQuery,
  listFacetSets,
  listFacetTerms,
} from '../../../src/domain/search/decision-facets.ts';

const plain = { workspaceId: 'w1', tags: ['PII_EMAIL'] };
const isFound = (output: Json, query: FacetQuery): boolean => {
  const terms = new Set(listFacetTerms(readActionSummary(output), plain));
  const hasOne = (some: readonly string[]): boolean => some.some((term) => terms.has(term));
  const sets = listFacetSets(query);
  for (const { terms: all, coarse } of sets) if (hasOne(all)) expect(hasOne(coarse)).toBe(true);
  return sets.every(({ terms: all }) => hasOne(all));
};

const refund = {
  action: { tool: 'issueRefund', args: { amount: 500, note: 'lost' } },
  toolCalls: [{ function: { name: 'Send-Mail', arguments: '{"total":"€ 12.50"}' } }],
};

describe('a refund of 500 with a mail about 12.50', () => {
  it.each<[FacetQuery, boolean]>([
    [{ tool: 'issue_refund' }, true],
    [{ tool: 'issueRefund' }, true],
    [{ tool: 'Issue-Refund' }, true],
    [{ tool: 'send_mail' }, true],
    [{ tool: 'issue' }, false],
    [{ tool: 'issue*' }, true],
    [{ tool: 'issue_*' }, true],
    [{ tool: 'issueRef*' }, true],
    [{ tool: 'ISSUE*' }, true],
    [{ tool: 'issu_*' }, false],
    [{ tool: 'issue_refund*' }, true],
    [{ tool: 'issue_refund_*' }, false],
    [{ tool: '*' }, true],
    [{ tool: 'mail*' }, false],
    [{ tag: 'PII_EMAIL' }, true],
    [{ tag: 'PII' }, false],
    [{ workspaceId: 'w1' }, true],
    [{ workspaceId: 'w' }, false],
    [{ minAmount: 512.5 }, true],
    [{ minAmount: 512.51 }, false],
    [{ maxAmount: 512.5 }, true],
    [{ maxAmount: 512.49 }, false],
    [{ minAmount: 500, maxAmount: 600 }, true],
    [{ minAmount: 600, maxAmount: 500 }, false],
    [{ tool: 'send*', tag: 'PII_EMAIL', workspaceId: 'w1', minAmount: 1 }, true],
    [{ tool: 'send*', tag: 'PII_EMAIL', workspaceId: 'w2', minAmount: 1 }, false],
  ])('%j: %s', (query, expected) => {
    expect(isFound(refund, query)).toBe(expected);
  });
});

test('an action without amount is in no range, and an unreadable one in every open one', () => {
  expect(isFound({ action: 'reply' }, { minAmount: 0 })).toBe(false);
  expect(isFound({ action: 'reply' }, { maxAmount: 1e9 })).toBe(false);
  const unreadable = { action: { tool: 'pay', args: { amount: 'as agreed' } } };
  expect(isFound(unreadable, { minAmount: 1e9 })).toBe(true);
  expect(isFound(unreadable, { maxAmount: 1e9 })).toBe(false);
});

test('long names, many calls and many members are bounded', () => {
  const long = 'x'.repeat(5_000);
  const calls = Array.from({ length: 500 }, (_, at) => ({ tool: `${long}${at}` }));
  const terms = [...listFacetTerms(readActionSummary({ action: 'a', toolCalls: calls }), plain)];
  expect(terms.length).toBeLessThan(200);
  const some = Array.from({ length: 500 }, (_, at) => ({ tool: `${at}${long}` }));
  const most = [...listFacetTerms(readActionSummary({ action: 'a', toolCalls: some }), plain)];
  expect(most.length).toBeLessThan(7_000);
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, at]));
  expect(collectActionText({ action: members }).length).toBeLessThanOrEqual(20_000);
});

test('the text of an action is its values, without what is a text of its own', () => {
  const output = { ...refund, rationale: 'because', alternatives: ['none'], confidence: 0.5 };
  expect(collectActionText(output)).toBe('issueRefund\n500\nlost\nSend-Mail\n{"total":"€ 12.50"}');
  expect(collectActionText('text')).toBe('');
});
