// The same policies judged by Assay, by json-rules-engine and by a CEL library: microseconds for each decision.
import { parse } from '@marcbachmann/cel-js';
import { Engine, type NestedCondition } from 'json-rules-engine';
import type { JsonObject } from '@assay/json';
import { compilePolicies, type Condition, type PolicyDefinition } from '@assay/policy';
import { createDefinition, createFacts } from '../in-process/policies.ts';
import { computeMedian } from '../rows.ts';

const DECISIONS = 20;
const ROUNDS = 7;

/** How many policies match a decision. */
type Judge = (facts: JsonObject) => number | Promise<number>;

function createAssayJudge(definitions: readonly PolicyDefinition[]): Judge {
  const set = compilePolicies(definitions);
  return (facts) => set.evaluate(facts).matched.length;
}

/** JavaScript's patterns have no `(?i)`; in the texts that are judged this one finds the same. */
const toPattern = ({ value }: Condition): string => String(value).replace('(?i)order', '[Oo]rder');

function createRulesEngineJudge(definitions: readonly PolicyDefinition[]): Judge {
  const patterns = new Map<string, RegExp>();
  const engine = new Engine([], { pathResolver: readMember });
  engine.addOperator('matches', (text: string, source: string) => {
    const pattern = patterns.get(source) ?? new RegExp(source);
    patterns.set(source, pattern);
    return pattern.test(text);
  });
  for (const { id, conditions } of definitions)
    engine.addRule({
      conditions: { all: groupConditions(conditions).map(joinConditions) },
      event: { type: id },
    });
  return async (facts) => (await engine.run(facts)).events.length;
}

/** Its own resolver of paths takes some hundred times as long. */
function readMember(value: object, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as JsonObject)[name], value);
}

/** The operators that the compared policies use. */
const ENGINE_OPERATORS: Readonly<Partial<Record<Condition['operator'], string>>> = {
  equals: 'equal',
  less_than: 'lessThan',
  greater_than: 'greaterThan',
  contains: 'contains',
  regex: 'matches',
};

function joinConditions(conditions: readonly Condition[]): NestedCondition {
  return {
    any: conditions.map((condition) => {
      const [fact = '', ...path] = condition.field.split('.');
      const value = condition.operator === 'regex' ? toPattern(condition) : condition.value;
      const leaf = {
        fact,
        operator: ENGINE_OPERATORS[condition.operator] ?? condition.operator,
        value,
      };
      return path.length === 0 ? leaf : Object.assign(leaf, { path: path.join('.') });
    }),
  };
}

function createCelJudge(definitions: readonly PolicyDefinition[]): Judge {
  const rules = definitions.map(({ conditions }) =>
    parse(
      groupConditions(conditions)
        .map((group) => `(${group.map(toExpression).join(' || ')})`)
        .join(' && '),
    ),
  );
  return (facts) => rules.filter((matches) => matches(facts) === true).length;
}

const EXPRESSIONS: Readonly<
  Partial<Record<Condition['operator'], (condition: Condition) => string>>
> = {
  equals: ({ field, value }) => `${field} == ${JSON.stringify(value)}`,
  less_than: ({ field, value }) => `${field} < ${toDouble(value)}`,
  greater_than: ({ field, value }) => `${field} > ${toDouble(value)}`,
  contains: ({ field, value }) => `${JSON.stringify(value)} in ${field}`,
  regex: (condition) => `${condition.field}.matches(${JSON.stringify(toPattern(condition))})`,
};
/** @throws Error for an operator that the compared policies do not use */
function toExpression(condition: Condition): string {
  const write = EXPRESSIONS[condition.operator];
  if (!write) throw new Error(`no expression for ${condition.operator}`);
  return write(condition);
}

/** A number of JavaScript is a double of CEL. */
const toDouble = (value: unknown): string => Number(value).toFixed(4);

/** Conditions that are joined by OR, in groups that all have to hold. */
function groupConditions(conditions: readonly Condition[]): Condition[][] {
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
  const definitions = Array.from({ length: policies }, (_, i) => createDefinition(i));
  const decisions = Array.from({ length: DECISIONS }, (_, i) => createFacts(i));
  const judges = {
    Assay: createAssayJudge(definitions),
    'a CEL library': createCelJudge(definitions),
    'json-rules-engine': createRulesEngineJudge(definitions),
  };
  await requireAgreement(Object.values(judges), decisions);
  const seen: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, judge] of Object.entries(judges))
      (seen[name] ??= []).push(await measureMicroseconds(decisions, judge));
  return Object.fromEntries(
    Object.entries(seen).map(([name, us]) => [name, computeMedian(us.slice(2))]),
  );
}

async function requireAgreement(judges: Judge[], decisions: readonly JsonObject[]): Promise<void> {
  for (const facts of decisions) {
    const found = new Set<number>();
    for (const judge of judges) found.add(await judge(facts));
    if (found.size > 1) throw new Error(`policies that match: ${[...found].join(', ')}`);
  }
}

async function measureMicroseconds(
  decisions: readonly JsonObject[],
  judge: Judge,
): Promise<number> {
  const start = process.hrtime.bigint();
  for (const facts of decisions) await judge(facts);
  return Number(process.hrtime.bigint() - start) / 1_000 / decisions.length;
}
