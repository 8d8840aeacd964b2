// The hooks of Gemini CLI: Claude Code's form, with other names of events, its own form of answers, and no id of a call.
import { resolve } from 'node:path';
import { isShell } from '../../../sdk-typescript/src/action-names.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure } from '../output.ts';
import { type NamedTool, readClaudeEvent, requireCommand } from './claude-hooks.ts';
import { type HookEvent, type HookVerdict, type Host, readText } from './host-call.ts';

const WAY = 'gemini-cli';
const EVENTS: Readonly<Record<string, string>> = {
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
  BeforeAgent: 'UserPromptSubmit',
};
/** Events before something that is no call. */
const HARMLESS = new Set(['BeforeModel', 'BeforeToolSelection', 'PreCompress']);
const MCP_PREFIX = 'mcp_';
/** What the shell adds to its output: a status only where it is not 0. */
const FAILED = /\nExit Code: \d+(?:\n(?:Signal|Background PIDs|Process Group PGID): .*)*$/;

function readEvent(payload: JsonObject): HookEvent {
  const name = readText(payload.hook_event_name) ?? '';
  if (HARMLESS.has(name)) return { kind: 'other' };
  const event = readClaudeEvent(
    { ...payload, hook_event_name: Object.hasOwn(EVENTS, name) ? EVENTS[name]! : name },
    WAY,
    readTool,
  );
  if (event.kind === 'after') return { ...event, outcome: readOutcome(payload) };
  if (event.kind !== 'before') return event;
  const { tool_input: input = null } = payload;
  const { toInput } = event.call;
  const change = (edited: Json): Json | undefined => keepMembers(input, toInput?.(edited));
  return { ...event, call: { ...event.call, toInput: change } };
}

function readTool(
  { name, input, cwd }: NamedTool,
  { mcp_context: context }: JsonObject,
): NamedTool {
  if (isObject(context ?? null)) {
    const { server_name: server, tool_name: tool } = context as JsonObject;
    if (typeof server !== 'string' || typeof tool !== 'string')
      throw new CommandFailure('the event names no server or no tool in mcp_context');
    return { name: tool, input, server };
  }
  if (name.startsWith(MCP_PREFIX)) throw new CommandFailure('the event has no mcp_context');
  requireCommand(WAY, { name, input });
  const { dir_path: folder, ...rest } = isObject(input) ? input : {};
  if (!isShell(WAY, name) || typeof folder !== 'string') return { name, input, cwd };
  return { name, input: rest, cwd: cwd === undefined ? folder : resolve(cwd, folder) };
}

/**
 * Returns the input that replaces another, or undefined where Gemini would not run it as it is: it takes objects alone, and
 * by its documentation keeps those members that the new input does not have.
 */
function keepMembers(before: Json, input: Json | undefined): JsonObject | undefined {
  if (!isObject(before) || !isObject(input ?? null)) return undefined;
  const after = input as JsonObject;
  const { dir_path: folder } = before;
  const whole = folder === undefined ? after : { dir_path: folder, ...after };
  return Object.keys(before).every((member) => Object.hasOwn(whole, member)) ? whole : undefined;
}

function readOutcome({ tool_name: name, tool_response: response }: JsonObject) {
  if (!isObject(response ?? null)) return 'unknown';
  const { error, llmContent } = response as JsonObject;
  if (isObject(error ?? null)) return 'failed';
  if (!isShell(WAY, readText(name) ?? '')) return 'succeeded';
  const told = (readText(llmContent) ?? '').replace(/^<\w+>\n|\n<\/\w+>$/g, '');
  // A command that was cancelled, moved to the background or summarised has no known end.
  if (!told.startsWith('Output: ')) return 'unknown';
  return FAILED.test(told) ? 'failed' : 'succeeded';
}

function renderVerdict(verdict: HookVerdict): string {
  if (verdict.kind === 'refuse')
    return JSON.stringify({ decision: 'deny', reason: verdict.reason });
  if (verdict.input === undefined) return SILENCE;
  const hookSpecificOutput = { hookEventName: 'BeforeTool', tool_input: verdict.input };
  return JSON.stringify({ decision: 'allow', hookSpecificOutput });
}

/** Without an answer Gemini would read the standard error. */
const SILENCE = '{}';

export const geminiCli: Host = { silence: SILENCE, read: readEvent, render: renderVerdict };
