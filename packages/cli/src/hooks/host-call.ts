// What the hooks of coding agents have in common: a call before it runs, what became of it, and a verdict.
import type { Json, JsonObject } from '../../../sdk-typescript/src/json.ts';

export interface Action extends JsonObject {
  tool: string;
  arguments: Json;
}

/** A call of a tool, as Assay names it: the same from every host, so that one policy fits all. */
export interface HostCall {
  /** The run or conversation, as the host names it. */
  session: string;
  /** The call in the run; undefined: the host names none, and the action stands for it. */
  callId: string | undefined;
  action: Action;
  /** What the model says that the call is for. */
  rationale: string | undefined;
  /** Makes the host's input of arguments that a reviewer changed; undefined: the host takes no changes. */
  toInput: ((edited: Json) => Json) | undefined;
}

export type HookEvent =
  | { kind: 'before'; call: HostCall }
  | { kind: 'after'; call: HostCall; outcome: 'succeeded' | 'failed' | 'unknown'; result: Json }
  /** An event that is about no call. */
  | { kind: 'other' };

export type HookVerdict =
  /** `isApproved`: a person has approved it. `input` replaces the host's input. */
  | { kind: 'run'; isApproved: boolean; input: Json | undefined }
  | { kind: 'refuse'; reason: string };

/** The wire format of a host. */
export interface Host {
  /** @throws CommandFailure for an event that cannot be understood, which refuses the call */
  read(payload: JsonObject): HookEvent;
  /** What is printed for a verdict; empty: nothing. */
  render(verdict: HookVerdict): string;
  /** What is printed where there is nothing to decide. */
  readonly silence: string;
}

/** The name under which every host's shell is asked for. */
export const SHELL = 'shell';

/** Members of a shell's input that change nothing about what is done: models word them differently each time. */
const WORDING = new Set(['description']);

export function createShellCall(input: JsonObject, cwd: Json | undefined): Action {
  const args = Object.fromEntries(Object.entries(input).filter(([name]) => !WORDING.has(name)));
  return { ...(typeof cwd === 'string' && { cwd }), tool: SHELL, arguments: args };
}

/** Names an MCP tool as the proxy does: `mcp__shop__issue_refund` is `issue_refund` of `shop`. */
export function createToolCall(name: string, input: Json): Action {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server === undefined || tool === undefined) return { tool: name, arguments: input };
  return { server, tool, arguments: input };
}

export const readText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
