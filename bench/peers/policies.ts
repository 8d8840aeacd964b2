// The same policies judged by Assay, by json-rules-engine and by a CEL library: microseconds for each decision.
import { parse } from '@marcbachmann/cel-js';
import { Engine, type NestedCondition } from 'json-rules-engine';
import { compilePolicies } from '../../src/domain/policies/compile.ts';
import type { Condition, PolicyDefinition } from '../../src/domain/policies/definition.ts';
import type { JsonObject } from '../../src/domain/record/json.ts';
import { definitionOf, factsOf } from '../in-process/policies.ts';
import { median } from '../rows.ts';

const DECISIONS = 20;
const ROUNDS = 7;

/** How many policies match a decision. */
type Judge = (facts: JsonObject) => number | Promise<number>;

function assay(definitions: readonly PolicyDefinition[]): Judge {
  const set = compilePolicies(definitions);
  return (facts) => set.evaluate(facts).matched.length;
}

/** JavaScript's patterns have no `(?i)`; in the texts that are judged this one finds the same. */
const patternOf = ({ value }: Condition): string => String(value).replace('(?i)order', '[Oo]rder');

function rulesEngine(definitions: readonly PolicyDefinition[]): Judge {
  const patterns = new Map<string, RegExp>();
  const engine = new Engine([], { pathResolver: memberAt });
  engine.addOperator('matches', (text: string, source: string) => {
    const pattern = patterns.get(source) ?? new RegExp(source);
    patterns.set(source, pattern);
    return pattern.test(text);
  });
  for (const { id, conditions } of definitions)
    engine.addRule({ conditions: { all: grouped(conditions).map(anyOf) }, event: { type: id } });
  return async (facts) => (await engine.run(facts)).events.length;
}

/** Its own resolver of paths takes some hundred times as long. */
function memberAt(value: object, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as JsonObject)[name], value);
}

const ENGINE_OPERATORS: Readonly<Record<Condition['operator'], string>> = {
  equals: 'equal',
  less_than: 'lessThan',
  greater_than: 'greaterThan',
  contains: 'contains',
  regex: 'matches',
};

function anyOf(conditions: readonly Condition[]): NestedCondition {
  return {
    any: conditions.map((condition) => {
      const [fact = '', ...path] = condition.field.split('.');
      const value = condition.operator === 'regex' ? patternOf(condition) : condition.value;
      const leaf = { fact, operator: ENGINE_OPERATORS[condition.operator], value };
      return path.length === 0 ? leaf : Object.assign(leaf, { path: path.join('.') });
    }),
  };
}

function cel(definitions: readonly PolicyDefinition[]): Judge {
  const rules = definitions.map(({ conditions }) =>
    parse(
      grouped(conditions)
        .map((group) => `(${group.map(expressionOf).join(' || ')})`)
        .join(' && '),
    ),
  );
  return (facts) => rules.filter((matches) => matches(facts) === true).length;
}

const EXPRESSIONS: Readonly<Record<Condition['operator'], (condition: Condition) => string>> = {
  equals: ({ field, value }) => `${field} == ${JSON.stringify(value)}`,
  less_than: ({ field, value }) => `${field} < ${double(value)}`,
  greater_than: ({ field, value }) => `${field} > ${double(value)}`,
  contains: ({ field, value }) => `${JSON.stringify(value)} in ${field}`,
  regex: (condition) => `${condition.field}.matches(${JSON.stringify(patternOf(condition))})`,
};
const expressionOf = (condition: Condition): string => EXPRESSIONS[condition.operator](condition);

/** A number of JavaScript is a double of CEL. */
const double = (value: unknown): string => Number(value).toFixed(4);

/** Conditions that are joined by OR, in groups that all have to hold. */
function grouped(conditions: readonly Condition[]): Condition[][] {
  const groups: Condition[][] = [];
  let isJoined = false;
  for (const condition of conditions) {
    if (isJoined) groups.at(-1)?.push(condition);
    else groups.push([condition]);
    isJoined = condition.logicalOperator === 'OR';
  }
  return groups;
}

/** Measures microseconds per decision, medians over rounds. @throws Error when engines match different policies */
export async function measurePolicyPeers(policies: number): Promise<Record<string, number>> {
  const definitions = Array.from({ length: policies }, (_, i) => definitionOf(i));
  const decisions = Array.from({ length: DECISIONS }, (_, i) => factsOf(i));
  const judges = {
    Assay: assay(definitions),
    'a CEL library': cel(definitions),
    'json-rules-engine': rulesEngine(definitions),
  };
  await requireAgreement(Object.values(judges), decisions);
  const seen: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, judge] of Object.entries(judges))
      (seen[name] ??= []).push(await microseconds(decisions, judge));
  return Object.fromEntries(Object.entries(seen).map(([name, us]) => [name, median(us.slice(2))]));
}

async function requireAgreement(judges: Judge[], decisions: readonly JsonObject[]): Promise<void> {
  for (const facts of decisions) {
    const found = new Set<number>();
    for (const judge of judges) found.add(await judge(facts));
    if (found.size > 1) throw new Error(`policies that match: ${[...found].join(', ')}`);
  }
}

async function microseconds(decisions: readonly JsonObject[], judge: Judge): Promise<number> {
  const start = process.hrtime.bigint();
  for (const facts of decisions) await judge(facts);
  return Number(process.hrtime.bigint() - start) / 1_000 / decisions.length;
}
