// Compiles a set of policies: distinct fields and conditions are shared, policies are indexed by the conditions that they require.
import { hash } from 'node:crypto';
import type { JsonObject } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import type { PolicyDefinition } from './definition.ts';
import {
  FALSE,
  TRUE,
  UNKNOWN,
  findFirstError,
  createEvaluator,
  Evaluation,
  type Evaluator,
  type KnownDecision,
  type Slot,
  type Truth,
} from './evaluate.ts';
import { splitPath } from './fields.ts';
import { indexGuards, type GuardIndex } from './guards.ts';
import { createInterner, type Interner } from './interner.ts';
import { compilePolicy, type CompiledCondition, type CompiledPolicy } from './policy.ts';
import { ACTS, type MatchedLimit, readSpentAmount } from './limits.ts';
import { isStateField } from './tools/state-facts.ts';
import {
  addActions,
  resolveVerdict,
  type PolicyFailure,
  type Match,
  type PolicyVerdict,
} from './verdict.ts';

/** Ids of policies, in evaluation order. */
export interface PolicyMatches {
  matched: string[];
  undecided: string[];
}

/** Names what a policy judges by: its revision, and the contents of the lists that it names. */
export function toCacheKey({
  id,
  revision,
  lists,
}: Pick<PolicyDefinition, 'id' | 'revision'> & { lists?: ListDigests | undefined }): string {
  if (!lists) return `${id}@${revision}`;
  const digests = Object.keys(lists)
    .sort()
    .map((name) => `${name}:${lists[name]!.digest}`);
  return `${id}@${revision}+${digests.join('+')}`;
}

/** The digests of named lists, by name. */
export type ListDigests = Readonly<Record<string, { digest: string }>>;

/** Compiled policies by `toCacheKey`; the caller keeps it between compilations of a workspace. */
export type PolicyCache = Map<string, CompiledPolicy>;

export interface PolicySet {
  /** SHA-256 (hex) of the JCS text of `[{ id, priority, conditions, actions }]` by priority, then id (formats.md). */
  digest: string;
  /** The policies in evaluation order. */
  members: { id: string; revision: number; lists?: ListDigests }[];
  /** The definitions from which the set was compiled. */
  definitions: readonly PolicyDefinition[];
  /** The distinct field paths of the conditions. */
  fields: string[];
  /** Whether some condition reads this member of the facts, or one inside it. */
  reads(member: string): boolean;
  /** Whether some condition reads what tools do, or what the session did before. */
  readsState: boolean;
  /**
   * Evaluates the facts of one decision (policies.md lists them). Never throws, keeps no state. `work` is the
   * budget of all its conditions together; a condition beyond it is an error.
   */
  evaluate(facts: JsonObject, work?: Work): PolicyVerdict;
  /** Evaluates without the `unknown` fields: ids of the policies that match, and of those that stay undecided. */
  evaluateAgain(facts: JsonObject, unknown: ReadonlySet<string>, work?: Work): PolicyMatches;
}

/**
 * Compiles the enabled policies of a workspace. With a cache, only revisions that are not in it are compiled, and those that the set
 * no longer has are removed from it.
 */
export function compilePolicies(
  definitions: readonly PolicyDefinition[],
  cache: PolicyCache = new Map(),
): PolicySet {
  const policies = compileMissing(sortDefinitions(definitions), cache);
  const table = createConditionTable();
  const members = divideMembers(policies, table);
  const { paths } = table;
  const roots = new Set(paths.items.map(([root]) => root));
  return {
    digest: hashTexts(policies.map(({ text }) => text)),
    members: policies.map(toRevision),
    definitions,
    fields: paths.keys(),
    reads: (member) => roots.has(member),
    readsState: paths.keys().some(isStateField),
    evaluate(facts, work = new Work(workLimits.conditions)) {
      return evaluateAll(members, createEvaluation(table, { facts, work }), table);
    },
    evaluateAgain(facts, unknown, work = new Work(Infinity)) {
      return evaluateEach(members.judges, createEvaluation(table, { facts, unknown, work }));
    },
  };
}

/** The policies of a set, by what they do. */
interface Members {
  judges: readonly Member[];
  index: GuardIndex;
  observers: readonly Member[];
}

function divideMembers(policies: readonly CompiledPolicy[], table: ConditionTable): Members {
  const members = policies.map((policy) => toMember(policy, table));
  const judges = members.filter(({ policy }) => !policy.observes);
  const observers = members.filter(({ policy }) => policy.observes);
  return { judges, index: createGuardIndex(judges, table), observers };
}

/** Observers get what work is left, and so take none from those that judge. */
function evaluateAll(
  { judges, index, observers }: Members,
  evaluation: Evaluation,
  table: ConditionTable,
): PolicyVerdict {
  const found = settleFound(judges, findWithGuards(judges, index, evaluation), evaluation);
  return resolveVerdict({
    ...found,
    observed: observers.length === 0 ? NONE : findObserved(observers, evaluation),
    limits: found.matched.flatMap((match) => readLimits(match, evaluation, table)),
  });
}

/** What a decision adds to the limits of a policy that matched; those of one in error count at once. */
function readLimits(
  { limited, error }: Match,
  evaluation: Evaluation,
  table: ConditionTable,
): MatchedLimit[] {
  if (error !== null) return [];
  return limited.map((one) => {
    const { of } = one.limit;
    const value = of === ACTS ? 1 : evaluation.readValue(table.registerField(of));
    return { ...one, amount: readSpentAmount(value) };
  });
}

function createGuardIndex(members: readonly Member[], table: ConditionTable): GuardIndex {
  const guards = members.map(({ policy }) => policy.guard);
  return indexGuards(guards, (path) => table.registerField(path));
}

function createEvaluation({ paths, slots }: ConditionTable, known: KnownDecision): Evaluation {
  return new Evaluation(known, paths.items, slots.items);
}

function toRevision({ match, lists }: CompiledPolicy): PolicySet['members'][number] {
  const { id, revision } = match;
  return { id, revision, ...(lists && { lists }) };
}

/** A policy in its set. */
interface Member {
  policy: CompiledPolicy;
  /** The slots of its conditions, in stored order. */
  slots: number[];
  evaluate: Evaluator;
}

function sortDefinitions(definitions: readonly PolicyDefinition[]): PolicyDefinition[] {
  return [...definitions].sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
}

function compileMissing(
  definitions: readonly PolicyDefinition[],
  cache: PolicyCache,
): CompiledPolicy[] {
  const policies = new Map(
    definitions.map((definition) => {
      const key = toCacheKey(definition);
      return [key, cache.get(key) ?? compilePolicy(definition)] as const;
    }),
  );
  cache.clear();
  for (const [key, policy] of policies) cache.set(key, policy);
  return [...policies.values()];
}

/**
 * The distinct fields and conditions of a set, numbered, so that an evaluation reads and tests each at most once. Without shared
 * conditions an evaluation takes three times as long (row policies: 0.03, without 0.09).
 */
interface ConditionTable {
  paths: Interner<string[]>;
  slots: Interner<Slot>;
  /** The number of a field path. */
  registerField(path: string): number;
  /** The number of a condition. */
  registerSlot(condition: CompiledCondition): number;
}

function createConditionTable(): ConditionTable {
  const paths = createInterner<string[]>();
  const slots = createInterner<Slot>();
  const registerField = (path: string): number => paths.intern(path, () => splitPath(path));
  return {
    paths,
    slots,
    registerField,
    registerSlot: ({ key, field: path, test, not: isNegated }) =>
      slots.intern(key, () => ({
        field: registerField(path),
        test,
        absent: isNegated ? TRUE : FALSE,
      })),
  };
}

function toMember(policy: CompiledPolicy, table: ConditionTable): Member {
  const slots = policy.conditions.map((condition) => table.registerSlot(condition));
  for (const { limit } of policy.match.limited)
    if (limit.of !== ACTS) table.registerField(limit.of);
  return { policy, slots, evaluate: createEvaluator(policy, slots) };
}

const NONE: readonly Match[] = [];

/** A policy that does not fail, by its position. */
interface Found {
  position: number;
  truth: Truth;
}

function findWithGuards(
  members: readonly Member[],
  index: GuardIndex,
  evaluation: Evaluation,
): Found[] {
  const found: Found[] = [];
  index.visit(evaluation, (position) => {
    const truth = members[position]!.evaluate(evaluation);
    if (truth !== FALSE) found.push({ position, truth });
  });
  return found.sort((a, b) => a.position - b.position);
}

function findObserved(observers: readonly Member[], evaluation: Evaluation): readonly Match[] {
  const found = observers.flatMap(({ evaluate }, position) => {
    const truth = evaluate(evaluation);
    return truth === FALSE ? [] : [{ position, truth }];
  });
  return settleFound(observers, found, evaluation).matched;
}

/** An error counts as a match of a policy that restricts. */
function settleFound(
  members: readonly Member[],
  found: readonly Found[],
  evaluation: Evaluation,
): Pick<PolicyVerdict, 'matched' | 'failed'> {
  const matched: Match[] = [];
  const failed: PolicyFailure[] = [];
  for (const { position, truth } of found) {
    const { policy, slots } = members[position]!;
    const error = truth === TRUE ? null : findFirstError(evaluation, slots);
    if (error === null) matched.push(policy.match);
    else if (policy.restricts)
      matched.push({ ...addActions(policy.match, policy.match.limited), error });
    else failed.push(toPolicyFailure(policy.match, error));
  }
  return { matched, failed };
}

/** Evaluates every policy, since the guard index would read unknown fields. */
function evaluateEach(members: readonly Member[], evaluation: Evaluation): PolicyMatches {
  const truths = members.map(({ evaluate }) => evaluate(evaluation));
  const withTruth = (truth: Truth): string[] =>
    members.filter((_member, at) => truths[at] === truth).map(({ policy }) => policy.match.id);
  return { matched: withTruth(TRUE), undecided: withTruth(UNKNOWN) };
}

function toPolicyFailure({ id, revision, name }: Match, error: string): PolicyFailure {
  return { id, revision, name, error };
}

function hashTexts(texts: readonly string[]): string {
  return hash('sha256', `[${texts.join(',')}]`);
}
