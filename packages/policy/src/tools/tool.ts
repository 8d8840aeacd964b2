// A tool as the operator declares it: what a call does, what its result gives, and what each argument is.
import { checkCondition, type Problem } from '../definition.ts';
import { findFieldProblem } from '../fields.ts';
import { COMMON_LABELS, type Effect } from './tool-words.ts';

/** What an argument is; one without a role is a destination. */
export const ARGUMENT_ROLES = ['destination', 'object', 'amount', 'content'] as const;
export type ArgumentRole = (typeof ARGUMENT_ROLES)[number];

export interface Tool {
  /** As agents call it; compared as `action.names` writes names. */
  name: string;
  /** The MCP server that has it; null: any, or none. */
  server: string | null;
  /** RE2 patterns by the path of an argument, such as `arguments.command`: it is this tool where all of them match. */
  match: Readonly<Record<string, string>>;
  does: readonly Effect[];
  /** Labels of its result. */
  gives: readonly string[];
  /** Fields of the result that people outside may write; null: all of it, where it gives `untrusted`. */
  outside: readonly string[] | null;
  /** Whether whole leaves of its result are known names. */
  directory: boolean;
  /** The role of each argument, by its path. */
  roles: Readonly<Record<string, ArgumentRole>>;
  /** Tools that the session has to have used before. */
  after: readonly string[];
}

/** One reading of a tool: where its server and its arguments match. */
export type ToolEntry = Omit<Tool, 'name'>;

export const toolLimits = {
  /** Characters of a name, of a tool or a server. */
  name: 200,
  /** Patterns, roles, outside fields and tools before it, of one tool. */
  members: 50,
  /** Labels of one tool. */
  gives: 8,
  /** The size of a catalogue: tools, characters of its JSON text, labels of its own, tools that others come after. */
  catalogue: { tools: 1_000, characters: 262_144, labels: 32, steps: 64 },
} as const;

/** One word in lower case, such as `untrusted` or `health:record`. */
export const LABEL_WORD = /^[a-z0-9][a-z0-9._:-]{0,31}$/;

/** How the path of an argument begins. */
export const ARGUMENTS = 'arguments.';
const CONTROL = /\p{Cc}/u;

/** All validation errors of a tool. */
export function checkTool(tool: Tool): Problem[] {
  const { name, server, gives, outside, roles, after } = tool;
  return [
    ...checkToolName(name),
    ...(server === null ? [] : checkName('server', server)),
    ...checkMatch(tool),
    ...gives.flatMap((label, at) => checkLabel(`gives[${at}]`, label)),
    ...checkPaths('outside', outside ?? []),
    ...checkPaths('roles', Object.keys(roles)),
    ...after.flatMap((step, at) => checkName(`after[${at}]`, step)),
    ...checkCounts(tool),
  ];
}

/** The validation errors of a name. */
export const checkToolName = (name: string): Problem[] => checkName('name', name);

function checkName(path: string, name: string): Problem[] {
  const isPlain = name.trim() === name && name !== '' && !CONTROL.test(name);
  if (isPlain && name.length <= toolLimits.name) return [];
  const text = `must have 1 to ${toolLimits.name} characters, without control characters and outer spaces`;
  return [{ path, text }];
}

function checkMatch({ match }: Tool): Problem[] {
  return Object.entries(match).flatMap(([field, value]) => {
    const path = `match[${JSON.stringify(field)}]`;
    if (!field.startsWith(ARGUMENTS))
      return [{ path, text: 'must be the path of an argument, such as arguments.command' }];
    return checkCondition({ field, operator: 'regex', value }).map(({ text }) => ({ path, text }));
  });
}

const checkLabel = (path: string, label: string): Problem[] =>
  LABEL_WORD.test(label)
    ? []
    : [{ path, text: 'must be one word in lower case of at most 32 characters' }];

/** Paths of fields, in which `*` stands for any name. */
const checkPaths = (member: string, paths: readonly string[]): Problem[] =>
  paths.flatMap((path) => {
    const text = findFieldProblem(path);
    return text === null ? [] : [{ path: `${member}[${JSON.stringify(path)}]`, text }];
  });

function checkCounts({ match, gives, outside, roles, after }: Tool): Problem[] {
  const counts = {
    match: Object.keys(match).length,
    outside: outside?.length ?? 0,
    roles: Object.keys(roles).length,
    after: after.length,
  };
  const found = Object.entries(counts).flatMap(([path, count]) =>
    count <= toolLimits.members
      ? []
      : [{ path, text: `must have at most ${toolLimits.members} items` }],
  );
  if (gives.length > toolLimits.gives)
    found.push({ path: 'gives', text: `must have at most ${toolLimits.gives} items` });
  return found;
}

/** What is wrong with tools together; null: nothing. */
export function findCatalogueProblem(tools: readonly Tool[]): string | null {
  const { tools: most, characters, labels, steps } = toolLimits.catalogue;
  if (tools.length > most) return `A catalogue has at most ${most} tools`;
  if (JSON.stringify(tools).length > characters)
    return `The tools of a catalogue have at most ${characters} characters as JSON`;
  const words = new Set(tools.flatMap(({ gives }) => gives));
  for (const label of COMMON_LABELS) words.delete(label);
  if (words.size > labels) return `A catalogue has at most ${labels} labels of its own`;
  const before = new Set(tools.flatMap(({ after }) => after));
  return before.size > steps ? `At most ${steps} tools come before others` : null;
}
