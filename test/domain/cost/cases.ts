// Growing inputs: hostile texts, keys, nesting, lists and patterns, each with the server's work on them.
import { canonicalize, type Json, type JsonObject, parseSafeJson } from '@assay/json';
import { createScrubber } from '@assay/scrub';
import { compilePolicies, type Condition, deriveFacts } from '@assay/policy';
import { scoreDecision } from '../../../src/domain/confidence/score.ts';
import { chooseRuns } from '../../setup/runs.ts';

export interface Case {
  name: string;
  /** Sizes of the smaller and of the larger input, which is twice as large. */
  size: number;
  /** The work on an input of this size. */
  of(size: number): () => unknown;
}

const scrubber = createScrubber({ nationalIds: true, extended: true });

const specials = [
  '%',
  '@',
  '.',
  '1',
  'a',
  '-',
  ' ',
  '\\',
  '+',
  ':',
  "'",
  '_',
  '/',
  '"',
  '(',
  'é',
].slice(0, chooseRuns(5, 16));
const pairs = specials.flatMap((one) => specials.map((other) => one + other));
const pieces = [
  ...['%40', 'a%40', '.%40', '%40a.', 'a@b.', '@x.y', '4111 ', '4111-', '+1 2 3 4 5 6 7 8 '],
  ...['ssn 1234567 ', 'phone is ', 'born on ', 'token=', 'Bearer ', '-----BEGIN PRIVATE KEY-----'],
  ...[
    'eyJa',
    'eyJhbGciOi.',
    'GB82 ',
    '1.2.3.',
    '::1',
    '1:2:3:',
    '\\u0031',
    '\\\\',
    '\u200b1',
    '漢',
  ],
  ...['123-45-6789 ', '+4917112345678', '0171 1234567 ', '44051401359 ', '0049 ', 'https://a:b'],
  ...['0049 ', '+1 2 ', '0123-456789 ', '4006381333931 ', 'ssn 1-2-3-4-5-6-7-8 ', '𝟘', '😀'],
  ...['x{}', '[[', '{"a":', '$1,2', 'maybe ', 'ignore all ', 'not found ', 'a@b.co '],
];

const texts: Case[] = [...new Set([...pairs, ...pieces])].map((unit) => ({
  name: `text ${JSON.stringify(unit)}`,
  size: 1_000,
  of: (size) => {
    const text = unit.repeat(Math.ceil(size / unit.length));
    return () => scrubber.scrubString(text);
  },
}));

/** An object with this many keys. */
function buildKeyedObject(size: number, keyOf: (i: number) => string): JsonObject {
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [keyOf(i), 'x']));
}
const keys: Case[] = [
  (i: number) => `${i}@a.co`,
  (i: number) => `+4917112345${i}`,
  (i: number) => `[EMAIL] (${i})`,
  (i: number) => (i % 2 === 0 ? `[EMAIL] (${i})` : `${i}@a.co`),
].map((keyOf) => ({
  name: `keys ${keyOf(12)}, ${keyOf(13)}`,
  size: 300,
  of: (size) => {
    const value = buildKeyedObject(size, keyOf);
    return () => scrubber.scrubValue(value);
  },
}));

/** A value inside this many containers. */
function buildNested(depth: number, wrap: (inner: Json) => Json): Json {
  let value: Json = 'x';
  for (let i = 0; i < depth; i++) value = wrap(value);
  return value;
}
const wrappings: Record<string, (inner: Json) => Json> = {
  tool: (inner) => ({ tool: inner }),
  function: (inner) => ({ function: inner }),
  'every name': (inner) => ({ tool: {}, name: inner, function: {}, toolName: {}, type: {} }),
  list: (inner) => [inner],
  amount: (inner) => ({ amount: inner }),
};

function buildDecision(outputDecision: JsonObject): JsonObject {
  return { agentId: 'a', inputContext: { prompt: 'p' }, outputDecision };
}
function prepareFacts(submitted: JsonObject): JsonObject {
  return deriveFacts({
    submitted,
    at: new Date(0),
    confidenceScore: 1,
    tags: [],
    agentName: null,
    pii: { types: [], outputTypes: [] },
  });
}
const nesting: Case[] = Object.entries(wrappings).flatMap(([name, wrap]) => {
  const ways: [string, (value: Json) => unknown][] = [
    ['facts of', (action) => prepareFacts(buildDecision({ action }))],
    ['facts of calls', (call) => prepareFacts(buildDecision({ action: 'x', toolCalls: [call] }))],
    ['scrubbing', (value) => scrubber.scrubValue(value)],
    ['parsing', (value) => parseSafeJson(JSON.stringify(value))],
    ['writing', canonicalize],
  ];
  return ways.map(([way, work]) => ({
    name: `${way} nested ${name}`,
    size: 12,
    of: (size: number) => {
      const value = buildNested(size, wrap);
      return () => work(value);
    },
  }));
});

const items: Record<string, (i: number) => Json> = {
  'card numbers': (i) => 4111111111111111 + i,
  'numbers as texts': (i) => String(10_000_000 + i),
  amounts: (i) => ({ amount: i / 7 }),
  'tool calls': (i) => ({ name: `tool ${i}`, arguments: `{"amount": ${i}}` }),
  addresses: (i) => `bob@host${i}.example.org`,
};
const lists: Case[] = Object.entries(items).flatMap(([name, item]) => {
  const buildList = (size: number) => Array.from({ length: size }, (_, i) => item(i));
  const ways: [string, (value: Json[]) => unknown][] = [
    ['scrubbing', (list) => scrubber.scrubValue(list)],
    [
      'facts of',
      (list) => prepareFacts(buildDecision({ action: { tool: 't', list }, toolCalls: list })),
    ],
    ['scoring', (list) => score(buildDecision({ action: { list } }))],
  ];
  return ways.map(([way, work]) => ({
    name: `${way} a list of ${name}`,
    size: 300,
    of: (size: number) => {
      const list = buildList(size);
      return () => work(list);
    },
  }));
});

function score(decision: JsonObject): unknown {
  const policies = { strictMode: true, confidenceThreshold: 0.5 };
  return scoreDecision(decision, policies, { recentOverrideRate: null, recentFlagRate: null });
}

/** Policies with these conditions, on one text. */
function runEvaluation(conditions: readonly Condition[], text: string): () => unknown {
  const definitions = conditions.map((condition, i) => ({
    id: String(i),
    revision: 1,
    name: 'p',
    description: '',
    priority: 1,
    conditions: [condition],
    actions: [{ type: 'block' as const }],
  }));
  const set = compilePolicies(definitions);
  return () => set.evaluate({ text });
}

/** Equally many a and b, in an order that no automaton could remember. */
function createIrregularText(length: number): string {
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    text += state > 0x3fffffff ? 'a' : 'b';
  }
  return text;
}
const hundreds = Array.from({ length: 200 }, (_, i) => i);
const part = (i: number): string => `${'a'.repeat(4_000 + i)}b${'a'.repeat(4_000)}`;

const patterns: Case[] = [
  '(a+)+$',
  '(a|aa)+$',
  '(.*a){8}x',
  'a[ab]{9}[c-m]',
  '(?:a|b)*a(?:a|b){60}c$',
].map((value) => ({
  name: `pattern ${value}`,
  size: 4_000,
  of: (size) =>
    runEvaluation([{ field: 'text', operator: 'regex', value }], 'abaab'.repeat(size / 5)),
}));

/** Numbers that need close checks, as many as a decision may hold. */
const hostileDigits = [
  '44051401359 ',
  '4006381333931 ',
  '0049 ',
  '+4917112345678',
  '0123-456789 ',
  '1 ',
  'ssn 1234567 ',
].map((unit) => ({
  name: `1.8 MB of ${unit}`,
  of: () => {
    const decision = Array.from({ length: 18 }, () => unit.repeat(100_000 / unit.length));
    return () => scrubber.scrubValue(decision);
  },
}));

/** The most that the limits allow. */
export const bounded: readonly { name: string; of(): () => unknown }[] = [
  ...hostileDigits,
  {
    name: 'sixty-four arguments that a context nearly holds',
    of: () => {
      const list = hundreds.slice(0, 64).map((i) => `${'a'.repeat(80 + i)}b`);
      const prompt = 'a'.repeat(50_000);
      return () => score({ inputContext: { prompt }, outputDecision: { action: { list } } });
    },
  },
  {
    name: 'two hundred patterns with very many states',
    of: () =>
      runEvaluation(
        hundreds.map((i) => ({ field: 'text', operator: 'regex', value: `a[ab]{13}[c-m]{${i}}x` })),
        createIrregularText(50_000),
      ),
  },
  {
    name: 'two hundred long parts of a text that nearly has them',
    of: () =>
      runEvaluation(
        hundreds.map((i) => ({ field: 'text', operator: 'contains', value: part(i) })),
        'a'.repeat(100_000),
      ),
  },
];

export const cases: readonly Case[] = [...texts, ...keys, ...nesting, ...lists, ...patterns];
