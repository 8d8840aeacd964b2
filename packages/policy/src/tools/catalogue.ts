// What a decision is about to do, by the catalogues of the tools that it calls: what is not listed is the strictest.
import { hash } from 'node:crypto';
import { canonicalize, type Json } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import { compileCondition, type ConditionTest } from '../condition.ts';
import { type Call, readCalls } from '../facts.ts';
import { readPath, splitPath } from '../fields.ts';
import {
  type CompiledRoles,
  compileRoles,
  ValueCollector,
  type ValueFacts,
} from './call-values.ts';
import { NO_VALUES_SEEN, type ResultFields, type SeenValues } from './origins.ts';
import { ARGUMENTS, type Tool } from './tool.ts';
import { COMMON_LABELS, type Effect, EFFECTS, toSnakeCase } from './tool-words.ts';

/** Calls of tools that a decision makes alike. */
export interface ToolAct {
  /** As `action.names` has it; null: it is not listed, or calls of many tools. */
  tool: string | null;
  times: number;
  does: Effect[];
  gives: string[];
  /** Fields of its result that people outside may write; absent: all of it, where it gives `untrusted`. */
  outside?: string[];
  /** True where whole leaves of its result are known names. */
  directory?: true;
  /** True where other tools have to come after it. */
  step?: true;
}

export interface DescribedAction {
  acts: ToolAct[];
  /** Whether every tool is listed in each catalogue. */
  isListed: boolean;
  /** Tools that have to come before one of these. */
  after: string[];
  /** What is known of the values of what has an effect. */
  values: ValueFacts;
}

/** The tools of one workspace, or of two; where none is listed, no call is. */
export interface ToolCatalogue {
  /** SHA-256 (hex) of the JCS text of the lists of tools. */
  digest: string;
  /** The lists from which it was compiled; a list without tools counts for nothing. */
  lists: readonly (readonly Tool[])[];
  /** `seen`: what a harness says of the values; absent: it has seen nothing. */
  describe(output: Json, seen?: SeenValues): DescribedAction;
  /** The labels of a caller that have a meaning here. */
  selectLabels(labels: Json | undefined): string[];
  /** SHA-256 (hex) of all that is listed of a tool, by its name as `action.names` has it; null: it is not listed. */
  digestTool(name: string): string | null;
  /** Whether each list has a tool that the call may be. */
  isListed(call: Call): boolean;
}

/** Tools that a decision names one by one; what it calls beyond them counts together. */
const ACTS_MAX = 16;

type Meaning = Pick<Tool, 'does' | 'gives' | 'outside' | 'directory'>;

/** What a tool may do that no one has listed. */
export const UNLISTED: Meaning = {
  does: EFFECTS,
  gives: ['private', 'untrusted'],
  outside: null,
  directory: false,
};
/** All its arguments are destinations. */
const NO_ROLES: CompiledRoles = [];

/** Compiles catalogues of which each has its say: the stricter one counts. */
export function compileCatalogue(lists: ToolCatalogue['lists']): ToolCatalogue {
  const filled = lists.filter((tools) => tools.length > 0);
  const compiled = (filled.length > 0 ? filled : [[]]).map(compileList);
  const words = new Set<Json>([...COMMON_LABELS, ...filled.flat().flatMap(({ gives }) => gives)]);
  const isWord = (label: Json): label is string => words.has(label);
  return {
    digest: hash('sha256', canonicalize(lists as unknown as Json)),
    lists,
    describe: (output, seen = NO_VALUES_SEEN) => describeAction(compiled, output, seen),
    selectLabels: (labels) => (Array.isArray(labels) ? [...new Set(labels.filter(isWord))] : []),
    digestTool: (name) => digestTool(filled, name),
    isListed(call) {
      const work = new Work(workLimits.conditions);
      return compiled.every((list) => findTools(list, call, work).length > 0);
    },
  };
}

function digestTool(lists: ToolCatalogue['lists'], name: string): string | null {
  const listed = lists.map((tools) => tools.filter((tool) => toSnakeCase(tool.name) === name));
  const isMissing = listed.every((tools) => tools.length === 0);
  return isMissing ? null : hash('sha256', canonicalize(listed as unknown as Json));
}

interface CompiledTool {
  tool: Tool;
  roles: CompiledRoles;
  tests: readonly { path: readonly string[]; test: ConditionTest }[];
}

interface CompiledList {
  byName: ReadonlyMap<string, readonly CompiledTool[]>;
  /** Names of tools that others come after. */
  steps: ReadonlySet<string>;
}

function compileList(tools: readonly Tool[]): CompiledList {
  const byName = new Map<string, CompiledTool[]>();
  for (const tool of tools) {
    const name = toSnakeCase(tool.name);
    const named = byName.get(name) ?? [];
    named.push(compileTool(tool));
    byName.set(name, named);
  }
  return { byName, steps: new Set(tools.flatMap(({ after }) => after.map(toSnakeCase))) };
}

const compileTool = (tool: Tool): CompiledTool => ({
  tool,
  roles: compileRoles(tool.roles),
  tests: Object.entries(tool.match).map(([field, value]) => ({
    path: splitPath(field.slice(ARGUMENTS.length)),
    test: compileCondition({ field, operator: 'regex', value }),
  })),
});

function describeAction(
  lists: readonly CompiledList[],
  output: Json,
  seen: SeenValues,
): DescribedAction {
  const work = new Work(workLimits.conditions);
  const acts = new Map<string, ToolAct>();
  const after = new Set<string>();
  const values = new ValueCollector(seen);
  let isListed = true;
  for (const call of readCalls(output)) {
    const found = lists.map((list) => findTools(list, call, work));
    isListed &&= found.every((tools) => tools.length > 0);
    for (const { tool } of found.flat())
      for (const step of tool.after) after.add(toSnakeCase(step));
    const act = describeCall(call, found, lists);
    if (act.does.length > 0) values.add(call, act.does, listRoles(found));
    addAct(acts, act);
  }
  return { acts: [...acts.values()], isListed, after: [...after], values: values.collect() };
}

/** The roles of each tool that a call may be. */
const listRoles = (found: readonly (readonly CompiledTool[])[]): CompiledRoles[] =>
  found.flatMap((tools) => (tools.length > 0 ? tools.map(({ roles }) => roles) : [NO_ROLES]));

/** The tools of a list that a call may be; none: it is not listed. */
function findTools({ byName }: CompiledList, call: Call, work: Work): CompiledTool[] {
  const named = call.name === null ? [] : (byName.get(call.name) ?? []);
  return named
    .filter(({ tool: { server } }) => server === null || server === call.server)
    .filter(({ tests }) => tests.every(({ path, test }) => isMatch(call, path, test, work)));
}

/** A pattern that cannot be searched for does not match: then the call is not listed, which is stricter. */
function isMatch(
  { given }: Call,
  path: readonly string[],
  test: ConditionTest,
  work: Work,
): boolean {
  const value = readPath(given, path);
  return typeof value === 'string' && test(value, work) === true;
}

function describeCall(
  { name }: Call,
  found: readonly (readonly CompiledTool[])[],
  lists: readonly CompiledList[],
): ToolAct {
  const meant = found.flatMap<Meaning>((tools) =>
    tools.length > 0 ? tools.map(({ tool }) => tool) : [UNLISTED],
  );
  const tool = found.some((tools) => tools.length > 0) ? name : null;
  const isStep = name !== null && lists.some(({ steps }) => steps.has(name));
  return {
    tool,
    times: 1,
    does: EFFECTS.filter((effect) => meant.some(({ does }) => does.includes(effect))),
    gives: [...new Set(meant.flatMap(({ gives }) => gives))].sort(),
    ...describeResult(meant),
    ...(isStep && { step: true }),
  };
}

/** The reading that leaves most to outsiders counts. */
function describeResult(meant: readonly Meaning[]): Pick<ToolAct, 'outside' | 'directory'> {
  const written = meant.flatMap(({ gives, outside }) =>
    gives.includes('untrusted') ? [outside] : [],
  );
  const fields = written.flatMap((outside) => outside ?? []);
  return {
    ...(written.length > 0 && !written.includes(null) && { outside: [...new Set(fields)].sort() }),
    ...(meant.every(({ directory }) => directory) && { directory: true }),
  };
}

/** Who may have written the result of a decision that made these calls. */
export function readResultFields(acts: readonly ToolAct[]): ResultFields {
  const written = acts.filter(({ gives }) => gives.includes('untrusted'));
  const fields = written.flatMap(({ outside }) => outside ?? []);
  return {
    outside: written.every(({ outside }) => outside) ? fields : null,
    isDirectory: acts.length > 0 && acts.every(({ directory }) => directory === true),
  };
}

/** Counts a call with those that are alike. */
function addAct(acts: Map<string, ToolAct>, act: ToolAct): void {
  const key = JSON.stringify([act.tool, act.does, act.gives, act.outside, act.directory]);
  const known = acts.get(key);
  if (known) known.times++;
  else if (acts.size < ACTS_MAX) acts.set(key, act);
  else acts.set('', joinActs(acts.get(''), act));
}

/** The acts beyond those that are named one by one. */
function joinActs(one: ToolAct | undefined, other: ToolAct): ToolAct {
  const { times = 0, does = [], gives = [] } = one ?? {};
  return {
    tool: null,
    times: times + 1,
    does: EFFECTS.filter((effect) => does.includes(effect) || other.does.includes(effect)),
    gives: [...new Set([...gives, ...other.gives])].sort(),
  };
}
