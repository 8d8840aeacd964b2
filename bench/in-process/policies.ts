// Measures policy CPU: a compiled set of 1000 policies of three conditions each against naive evaluation.
import type { JsonObject } from '@assay/json';
import { compilePolicies, type Condition, type PolicyDefinition } from '@assay/policy';
import { interpret } from '../../test/domain/policies/naive.ts';
import { computeMedian } from '../rows.ts';

/** Microseconds per evaluation of the whole set, medians over rounds. */
export interface PolicyMeasure {
  compiledUs: number;
  interpretedUs: number;
  ratio: number;
}

const POLICIES = 1_000;
const ROUNDS = 15;
const tools = [
  'book',
  'cancel',
  'refund',
  'search',
  'update',
  'transfer',
  'quote',
  'close',
  'open',
  'send',
];

/** Measures both engines in alternating rounds over the same decisions. */
export function measurePolicies(): PolicyMeasure {
  const definitions = Array.from({ length: POLICIES }, (_, i) => createDefinition(i));
  const set = compilePolicies(definitions);
  const decisions = Array.from({ length: 50 }, (_, i) => createFacts(i));
  const rounds = Array.from({ length: ROUNDS }, () => ({
    interpreted: measureMicroseconds(decisions, (facts) => interpret(definitions, facts)),
    compiled: measureMicroseconds(decisions, (facts) => set.evaluate(facts)),
  })).slice(3);
  const compiledUs = computeMedian(rounds.map(({ compiled }) => compiled));
  const interpretedUs = computeMedian(rounds.map(({ interpreted }) => interpreted));
  return { compiledUs, interpretedUs, ratio: compiledUs / interpretedUs };
}

/**
 * One policy in the proportions of a large workspace: half bound to a tool or an agent by `equals`, half of any decision by
 * thresholds, tags and patterns; thresholds and patterns recur, as they do between copies of a template.
 */
export function createDefinition(i: number): PolicyDefinition {
  return {
    id: i.toString(16).padStart(24, '0'),
    revision: 1,
    name: `Policy ${i}`,
    description: '',
    priority: 1 + (i % 10),
    conditions: createConditions(i),
    actions: [{ type: i % 7 === 0 ? 'block' : 'flag_for_review' }],
  };
}

function createConditions(i: number): Condition[] {
  const pattern: Condition = {
    field: 'inputContext.prompt',
    operator: 'regex',
    value: `(?i)order ${i % 40}\\d* (?:now|today)`,
  };
  const low: Condition = {
    field: 'confidenceScore',
    operator: 'less_than',
    value: (i % 100) / 200,
  };
  const amount: Condition = {
    field: 'outputDecision.action.arguments.amount',
    operator: 'greater_than',
    value: 900 + (i % 50) * 10,
  };
  const tagged: Condition = { field: 'tags', operator: 'contains', value: `TAG_${i % 30}` };
  const tool: Condition = {
    field: 'outputDecision.action.tool',
    operator: 'equals',
    value: `${tools[i % 10]}_${i % 25}`,
  };
  const agent: Condition = { field: 'agentName', operator: 'equals', value: `agent-${i % 60}` };
  const kinds: Condition[][] = [
    [tool, amount, pattern],
    [low, tagged, pattern],
    [agent, low, tagged],
    [{ ...amount, logicalOperator: 'OR' }, tagged, low],
  ];
  return kinds[i % 4] ?? [];
}

export function createFacts(i: number): JsonObject {
  return {
    agentId: `agent-${i % 60}`,
    agentName: `agent-${i % 60}`,
    confidenceScore: 0.3 + (i % 7) / 10,
    tags: i % 3 === 0 ? ['HIGH_AMBIGUITY', `TAG_${i % 30}`] : ['HIGH_AMBIGUITY'],
    inputContext: {
      prompt: `${'Please look at my booking and tell me what can be done. '.repeat(20)} Order ${i} today, thanks.`,
    },
    outputDecision: {
      action: {
        tool: `${tools[i % 10]}_${i % 25}`,
        arguments: { amount: (i * 37) % 1_200, id: `R${i}` },
      },
    },
    metadata: { step: i },
  };
}

function measureMicroseconds(
  decisions: readonly JsonObject[],
  evaluate: (facts: JsonObject) => unknown,
): number {
  const start = process.hrtime.bigint();
  for (const facts of decisions) evaluate(facts);
  return Number(process.hrtime.bigint() - start) / 1_000 / decisions.length;
}
