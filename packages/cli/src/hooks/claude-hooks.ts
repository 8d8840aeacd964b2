// The hooks of Claude Code and of Codex, which share their form: `PreToolUse` before a call, `PostToolUse` after it.
import { addWording, isShell, type Way } from '../../../sdk-typescript/src/action-names.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure } from '../output.ts';
import {
  type HookEvent,
  type HookVerdict,
  type Host,
  type HostCall,
  nameAction,
  readAbout,
  readInput,
  readText,
  toSnakeCase,
} from './host-call.ts';
import { addPatchFiles } from './patch-files.ts';

/** Events about no call. Another event that names a tool is one of a later version: it is refused. */
const AFTER = new Map([
  ['PostToolUse', 'succeeded'],
  ['PostToolUseFailure', 'failed'],
] as const);

/** Events before something that is no call. */
const HARMLESS = new Set(['PreCompact']);

/** A tool as the event names it. Hosts that share the form have more to say about its name. */
export interface NamedTool {
  name: string;
  input: Json;
  server?: string | undefined;
  cwd?: string | undefined;
}
/** @throws CommandFailure for a shell whose input is no object: by another name it would pass the policies on shells */
export function requireCommand(way: Way, { name, input }: NamedTool): void {
  if (isShell(way, name) && !isObject(input))
    throw new CommandFailure('the event names no command');
}
export type ReadTool = (tool: NamedTool, payload: JsonObject) => NamedTool;

/** Reads an event in Claude Code's form. */
export function readClaudeEvent(
  given: JsonObject,
  way: Way,
  readTool: ReadTool = (tool) => tool,
): HookEvent {
  const payload = toSnakeCase(given);
  const event = readText(payload.hook_event_name) ?? '';
  const readCall = (): HostCall => toCall(payload, way, readTool);
  if (event === 'PreToolUse') return { kind: 'before', call: readCall() };
  const outcome = AFTER.get(event as 'PostToolUse');
  if (outcome !== undefined) {
    const result = payload.tool_response ?? payload.tool_result ?? payload.error ?? null;
    // The call is known by its id: its input may be missing here.
    payload.tool_input ??= {};
    return { kind: 'after', call: readCall(), outcome, result };
  }
  const prompt = readText(payload.prompt);
  if (event === 'UserPromptSubmit' && prompt !== undefined)
    return { kind: 'prompt', session: readSession(payload), prompt };
  if (event === 'SessionEnd') return { kind: 'end', session: readSession(payload) };
  const isBefore = /^(pre|before|permission)/i.test(event) && !HARMLESS.has(event);
  if (event === '' || isBefore || payload.tool_name !== undefined)
    throw new CommandFailure(`the event ${event || 'without a name'} is not known`);
  return { kind: 'other' };
}

const readSession = (payload: JsonObject): string => readText(payload.session_id) ?? 'none';

function toCall(payload: JsonObject, way: Way, readTool: ReadTool): HostCall {
  const named = readText(payload.tool_name);
  if (named === undefined) throw new CommandFailure('the event names no tool');
  const given = readInput(payload.tool_input, 'the event');
  const tool = { name: named, input: given, cwd: readText(payload.cwd) };
  const { name, input, server, cwd } = readTool(tool, payload);
  const isCommand = server === undefined && isShell(way, name) && isObject(input);
  if (isCommand && typeof input.command !== 'string')
    throw new CommandFailure('the event names no command');
  const { description, explanation } = isObject(input) ? input : {};
  return {
    session: readSession(payload),
    callId: readText(payload.tool_use_id),
    // A tool of a server is no shell, whatever its name.
    action: addPatchFiles(
      nameAction(server === undefined ? way : 'mcp', { name, input, server, cwd }),
    ),
    rationale: readText(description) ?? readText(explanation),
    about: readAbout(payload),
    prompt: readText(payload.prompt),
    toInput: (edited) => (isCommand && isObject(edited) ? addWording(input, edited) : edited),
  };
}

const renderDecision = (decision: JsonObject): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });

export function renderDenial(reason: string): string {
  return renderDecision({ permissionDecision: 'deny', permissionDecisionReason: reason });
}

function renderInput({ input }: HookVerdict & { kind: 'run' }): string {
  const permissionDecisionReason = 'A person approved it in Assay';
  const changed = input === undefined ? {} : { updatedInput: input };
  return renderDecision({ permissionDecision: 'allow', permissionDecisionReason, ...changed });
}

/** What no person decided is left to the host's own permissions: `allow` would go past them. */
export const claudeCode: Host = {
  silence: '',
  read: (payload) => readClaudeEvent(payload, 'claude-code'),
  render: (verdict) => {
    if (verdict.kind === 'refuse') return renderDenial(verdict.reason);
    return verdict.isApproved ? renderInput(verdict) : '';
  },
};

/** Codex takes `allow` only together with another input. */
export const codex: Host = {
  silence: '',
  read: (payload) => readClaudeEvent(payload, 'codex'),
  render: (verdict) => {
    if (verdict.kind === 'refuse') return renderDenial(verdict.reason);
    return verdict.input === undefined ? '' : renderInput(verdict);
  },
};
