// What an import would list: hints of MCP servers tighten what is listed, and never loosen it.
import { EFFECTS, type Effect, type Tool, toSnakeCase, UNLISTED } from '@assay/policy';

/** A tool as an MCP server lists it. */
export interface ServerTool {
  name: string;
  description?: string | undefined;
  annotations?:
    | {
        readOnlyHint?: boolean | undefined;
        destructiveHint?: boolean | undefined;
        openWorldHint?: boolean | undefined;
      }
    | undefined;
}

/** How a proposed tool stands to what is listed. */
export const PROPOSAL_STATES = ['new', 'same', 'stricter', 'looser'] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

export interface ToolProposal {
  tool: Tool;
  description?: string;
  state: ProposalState;
  /** What is listed now; null: it is new. */
  listed: Tool | null;
}

type Meaning = Omit<Tool, 'name' | 'server' | 'match'>;

const STRICTEST: Meaning = {
  ...UNLISTED,
  outside: null,
  directory: false,
  roles: {},
  after: [],
};

/** The tools that a server lists, each as strict as what is listed of it, or the strictest. */
export function readServerTools(
  { name, annotations = {} }: ServerTool,
  server: string | null,
  listed: readonly Tool[],
): Tool[] {
  const known = listed.filter(
    (tool) => toSnakeCase(tool.name) === toSnakeCase(name) && tool.server === server,
  );
  if (known.length === 0) return [{ name, server, match: {}, ...STRICTEST }];
  return known.map((tool) => addHints(tool, annotations));
}

/** Adds what the server says of itself; what it denies counts for nothing. */
function addHints(tool: Tool, hints: NonNullable<ServerTool['annotations']>): Tool {
  const does = new Set<Effect>(tool.does);
  const gives = new Set(tool.gives);
  if (hints.readOnlyHint === false) does.add('write');
  if (hints.destructiveHint === true) does.add('write').add('delete');
  if (hints.openWorldHint === true) gives.add('untrusted');
  return {
    ...tool,
    does: EFFECTS.filter((effect) => does.has(effect)),
    gives: [...gives].sort(),
    // What comes from an open world may stand anywhere.
    outside: gives.has('untrusted') && !tool.gives.includes('untrusted') ? null : tool.outside,
  };
}

/** How each tool stands to the listed one of the same name, server and match. */
export const compareTools = (
  tools: readonly Tool[],
  listed: readonly Tool[],
): Omit<ToolProposal, 'description'>[] => {
  const known = new Map(listed.map((tool) => [toPlace(tool), tool]));
  return tools.map((tool) => {
    const before = known.get(toPlace(tool)) ?? null;
    return { tool, listed: before, state: before ? compare(tool, before) : 'new' };
  });
};

/** What a tool is found by. */
export const toPlace = ({ name, server, match }: Tool): string =>
  JSON.stringify([toSnakeCase(name), server, Object.entries(match).sort()]);

function compare(after: Tool, before: Tool): ProposalState {
  if (isLooser(after, before)) return 'looser';
  return isLooser(before, after) ? 'stricter' : 'same';
}

/** Whether one reading lets anything pass that the other does not. */
function isLooser(after: Meaning, before: Meaning): boolean {
  return (
    hasLess(after.does, before.does) ||
    hasLess(after.gives, before.gives) ||
    hasLess(after.after, before.after) ||
    (after.directory && !before.directory) ||
    isOutsideLooser(after.outside, before.outside) ||
    Object.entries(after.roles).some(
      ([path, role]) => role !== 'destination' && role !== before.roles[path],
    )
  );
}

const hasLess = (some: readonly string[], all: readonly string[]): boolean =>
  all.some((one) => !some.includes(one));

/** Null: all of the result. */
function isOutsideLooser(after: Meaning['outside'], before: Meaning['outside']): boolean {
  if (after === null) return false;
  return before === null || hasLess(after, before);
}
