// The facts that are derived from a decision for policies.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import { chooseRuns } from '../../../test/setup/runs.ts';
import { deriveFacts } from '../src/facts.ts';

function facts(submitted: JsonObject, at = '2026-03-04T10:00:00Z'): JsonObject {
  const pii = { types: ['EMAIL'], outputTypes: [] };
  return deriveFacts({
    submitted,
    at: new Date(at),
    confidenceScore: 0.7,
    tags: ['PII_EMAIL'],
    agentName: 'desk',
    pii,
  });
}

function action(action: Json, more: JsonObject = {}): JsonObject {
  return facts({ outputDecision: { action, ...more } })['action'] as JsonObject;
}

describe('facts', () => {
  it('hold the submitted members and the derived ones, which cannot be forged', () => {
    const submitted = {
      agentId: 'a1',
      confidenceScore: 1,
      time: 'never',
      action: 'x',
      pii: {},
      metadata: { team: 'ops' },
      outputDecision: { action: 'reply' },
    };
    expect(facts(submitted, '2026-03-08T23:59:00Z')).toMatchObject({
      agentId: 'a1',
      agentName: 'desk',
      confidenceScore: 0.7,
      tags: ['PII_EMAIL'],
      metadata: { team: 'ops' },
      pii: { types: ['EMAIL'], outputTypes: [] },
      time: { hourUtc: 23, weekdayUtc: 7, instant: '2026-03-08T23:59:00.000Z' },
      action: { names: ['reply'], isToolCall: false },
    });
  });

  it('say null where no agent was resolved, whatever was submitted', () => {
    const rest = {
      at: new Date(0),
      confidenceScore: 0,
      tags: [],
      pii: { types: [], outputTypes: [] },
    };
    expect(
      deriveFacts({ ...rest, submitted: { agentName: 'forged' }, agentName: null })['agentName'],
    ).toBeNull();
  });

  it('count Monday as 1', () => {
    expect(facts({}, '2026-03-02T00:00:00Z')['time']).toMatchObject({ hourUtc: 0, weekdayUtc: 1 });
  });
});

describe('action', () => {
  it.each<[Json, string[]]>([
    ['respond_to_customer', ['respond_to_customer']],
    ['Delete the user!', ['delete_the_user']],
    [{ tool: 'deleteUser', arguments: {} }, ['delete_user']],
    [{ name: 'HTTPPost' }, ['http_post']],
    [{ type: 'function', function: { name: 'drop-table', arguments: '{}' } }, ['drop_table']],
    [{ arguments: {} }, []],
  ])('%j is named %j', (given, names) => expect(action(given)['names']).toEqual(names));

  it('includes further tool calls', () => {
    const toolCalls = [
      { name: 'get_user' },
      { name: 'refund', arguments: { amount: 40, ids: [1, 2, 3] } },
    ];
    expect(action('reply', { toolCalls })).toEqual({
      names: ['reply', 'get_user', 'refund'],
      isToolCall: true,
      largestList: 3,
      recipientDomains: [],
      largestAmount: 40,
      totalAmount: 40,
    });
  });

  it.each<[Json, number | undefined, number | undefined]>([
    [{ amount: 250 }, 250, 250],
    [{ payment_methods: [{ payment_id: 'c1', amount: 250 }, { amount: 5 }] }, 250, 255],
    [{ refundAmount: '$1,200.50' }, 1200.5, 1200.5],
    [{ unit_price: -3 }, 3, 3],
    [{ amounts: { total: 9 } }, 9, 9],
    [{ total_baggages: 3, payment_id: 7, refund_count: 2, discount: 5 }, undefined, undefined],
    [{ price: true, cost: null }, undefined, undefined],
  ])('amounts of %j', (given, largest, total) => {
    const { largestAmount, totalAmount } = action({ tool: 't', arguments: given });
    expect([largestAmount, totalAmount]).toEqual([largest, total]);
  });

  it.each<[Json, Json, Json]>([
    [
      { amount: 'a lot', fee: 5 },
      { atLeast: 5, atMost: null },
      { atLeast: 5, atMost: null },
    ],
    [
      { amount: '1.234', fee: 5 },
      { atLeast: 5, atMost: 1234 },
      { atLeast: 6.234, atMost: 1239 },
    ],
    [{ amount: '1.234', fee: 2_000 }, 2_000, { atLeast: 2_001.234, atMost: 3_234 }],
  ])('has the bounds of %j', (given, largest, total) => {
    const { largestAmount, totalAmount } = action({ tool: 't', arguments: given });
    expect([largestAmount, totalAmount]).toEqual([largest, total]);
  });

  it('looks into arguments that are JSON text, and survives text that only looks like it', () => {
    const text = JSON.stringify({ amount: 70, rows: [1, 2] });
    expect(action({ name: 'pay', arguments: text })).toMatchObject({
      largestAmount: 70,
      largestList: 2,
    });
    for (const broken of [
      '{amount: 70}',
      '['.repeat(10_000),
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    ]) {
      expect(action({ name: 'pay', arguments: broken })).toMatchObject({ largestList: 0 });
    }
  });

  it('takes more amounts than a function takes arguments', () => {
    const amounts = Array.from({ length: 300_000 }, (_, i) => i % 10);
    expect(action({ tool: 'pay', arguments: { amount: amounts } })).toMatchObject({
      largestAmount: 9,
      totalAmount: 1_350_000,
    });
  });

  it('collects the domains of e-mail addresses', () => {
    const given = {
      tool: 'send_email',
      arguments: {
        to: ['A@Example.com', 'b@mail.example.co.uk'],
        text: 'ask c@example.com or @reception',
      },
    };
    expect(action(given)['recipientDomains']).toEqual(['example.com', 'mail.example.co.uk']);
  });
});

describe('output', () => {
  it('joins every string value, and measures the rationale wherever it stands', () => {
    const outputDecision = {
      action: { tool: 'send', arguments: { lines: ['a', 1, 'b'] } },
      rationale: '  why ',
    };
    expect(facts({ outputDecision })['output']).toEqual({
      text: 'send\na\nb\n  why ',
      rationaleLength: 3,
    });
    expect(facts({ outputDecision: { action: 'x' }, rationale: 'because' })['output']).toEqual({
      text: 'x',
      rationaleLength: 7,
    });
    expect(facts({ outputDecision: { action: 'x' } })['output']).toEqual({
      text: 'x',
      rationaleLength: 0,
    });
  });
});

describe('recipient domains', () => {
  /** The documented form: a name, an at sign, a domain, each once. */
  const address = /[\w.+-]{1,64}@((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})\b/gi;
  const pieces = ['a', 'b.co', '@', '@', '.', '-', ' ', '@c.de', '%', 'x@y.org', 'A1.EU'];

  it('are those of whole addresses, one after another', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const expected = [...text.matchAll(address)].map(([, domain = '']) => domain.toLowerCase());
        expect(action(text)['recipientDomains']).toEqual([...new Set(expected)]);
      }),
      { numRuns: chooseRuns(500, 4_000) },
    );
  });
});

it('texts full of addresses are searched to their end', () => {
  const texts = Array.from({ length: 5 }, (_, i) => `a@b${i}.co `.repeat(10_000));
  const known = {
    submitted: { outputDecision: { action: 'send', texts } },
    at: new Date(0),
    confidenceScore: 1,
    tags: [],
    agentName: null,
    pii: { types: [], outputTypes: [] },
  };
  expect(deriveFacts(known)['action']).toMatchObject({
    recipientDomains: ['b0.co', 'b1.co', 'b2.co', 'b3.co', 'b4.co'],
  });
});
