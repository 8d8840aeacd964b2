// The hooks of Cursor: one event before a shell command, one before a tool of an MCP server, one before other tools.
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure } from '../output.ts';
import {
  type Action,
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
import { renderDenial } from './claude-hooks.ts';
import { findServer } from './cursor-servers.ts';
import { addPatchFiles } from './patch-files.ts';

const BEFORE = new Set([
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
  'beforeTabFileRead',
  'preToolUse',
]);
const AFTER = new Set([
  'afterShellExecution',
  'afterMCPExecution',
  'postToolUse',
  'postToolUseFailure',
]);
/** Events before something that is no call. */
const HARMLESS = new Set(['preCompact', 'beforeSubmitPrompt']);
/** Cursor's name of its shell, and the one under which it runs the hooks of Claude Code. */
const SHELLS = new Set(['Shell', 'Bash']);
const MCP_PREFIX = 'MCP:';

function readEvent(given: JsonObject): HookEvent {
  const payload = toSnakeCase(given);
  const name = readText(payload.hook_event_name) ?? '';
  const event = name.charAt(0).toLowerCase() + name.slice(1);
  if (BEFORE.has(event)) return { kind: 'before', call: readCall(event, payload) };
  if (AFTER.has(event))
    return {
      kind: 'after',
      call: readCall(event, { tool_input: {}, ...payload }),
      outcome: readOutcome(event, payload),
      result: payload.output ?? payload.result_json ?? payload.tool_output ?? null,
    };
  const prompt = readText(payload.prompt);
  if (prompt !== undefined && (event === 'beforeSubmitPrompt' || event === 'userPromptSubmit'))
    return { kind: 'prompt', session: readSession(payload), prompt };
  if (event === 'sessionEnd') return { kind: 'end', session: readSession(payload) };
  const isBefore = /^(before|pre|permission)/.test(event) && !HARMLESS.has(event);
  if (event === '' || isBefore)
    throw new CommandFailure(`the event ${name || 'without a name'} is not known`);
  return { kind: 'other' };
}

const readSession = (payload: JsonObject): string =>
  readText(payload.conversation_id) ?? readText(payload.session_id) ?? 'none';

function readCall(event: string, payload: JsonObject): HostCall {
  const isTool = event === 'preToolUse' || event.startsWith('postToolUse');
  return {
    session: readSession(payload),
    callId: isTool ? readText(payload.tool_use_id) : undefined,
    action: addPatchFiles(readAction(event, payload)),
    rationale: readText(payload.agent_message),
    about: readAbout(payload),
    prompt: readText(payload.prompt),
    event,
    toInput: isTool ? (edited) => edited : undefined,
  };
}

function readAction(event: string, payload: JsonObject): Action {
  const { command } = payload;
  const cwd = readText(payload.cwd);
  if (event.endsWith('ShellExecution')) {
    if (typeof command !== 'string') throw new CommandFailure(`${event} names no command`);
    return nameAction('cursor', { name: event, input: { command }, cwd });
  }
  if (event === 'beforeReadFile' || event === 'beforeTabFileRead') {
    const file = readText(payload.file_path);
    if (file === undefined) throw new CommandFailure(`${event} names no file`);
    return { tool: 'Read', arguments: { file_path: file } };
  }
  const input = parseInput(readInput(payload.tool_input ?? readEdit(payload), event));
  const name = readText(payload.tool_name) ?? inferName(input);
  if (name === undefined) throw new CommandFailure(`${event} names no tool`);
  if (event.endsWith('MCPExecution') || name.startsWith(MCP_PREFIX)) {
    const tool = name.startsWith(MCP_PREFIX) ? name.slice(MCP_PREFIX.length) : name;
    return nameAction('mcp', { name: tool, input, server: findServer(payload) });
  }
  if (!SHELLS.has(name)) return nameAction('cursor', { name, input });
  if (!isObject(input) || typeof input.command !== 'string')
    throw new CommandFailure(`${event} names no command`);
  const { working_directory: folder, ...rest } = input;
  return nameAction('cursor', { name: 'Shell', input: rest, cwd: readText(folder) ?? cwd });
}

/** An edit may stand in the event itself. */
function readEdit({ file_path: file, edits }: JsonObject): JsonObject | undefined {
  return file !== undefined && edits !== undefined ? { file_path: file, edits } : undefined;
}

/** Cursor names no tool for some of its edits. */
function inferName(input: Json): string | undefined {
  if (!isObject(input) || (input.file_path ?? input.path ?? input.target_file) === undefined)
    return undefined;
  const has = (...names: string[]): boolean => names.some((name) => input[name] !== undefined);
  if (has('edits', 'old_string', 'new_string', 'old_str', 'code_edit')) return 'Edit';
  return has('content', 'contents', 'file_text') ? 'Write' : undefined;
}

/** The arguments of a tool of an MCP server come as a text of JSON. */
function parseInput(input: Json): Json {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
}

function readOutcome(event: string, payload: JsonObject): 'succeeded' | 'failed' | 'unknown' {
  if (event === 'postToolUseFailure') return 'failed';
  if (event === 'postToolUse') return 'succeeded';
  const result = parseInput(payload.result_json ?? null);
  if (isObject(result)) return result.isError === true ? 'failed' : 'succeeded';
  const { exit_code: exitCode } = payload;
  if (typeof exitCode !== 'number') return 'unknown';
  return exitCode === 0 ? 'succeeded' : 'failed';
}

/** Models were seen to be shown either message: both say the same. */
function renderVerdict(verdict: HookVerdict): string {
  if (verdict.kind === 'refuse') {
    const { reason } = verdict;
    return JSON.stringify({ permission: 'deny', user_message: reason, agent_message: reason });
  }
  const changed = verdict.input === undefined ? {} : { updated_input: verdict.input };
  return JSON.stringify({ permission: 'allow', ...changed });
}

export const cursor: Host = { silence: '{}', read: readEvent, render: renderVerdict };

/** Cursor runs the hooks of Claude Code, with events of its own, and reads answers in either form. */
export const cursorAsClaude: Host = {
  ...cursor,
  render: (verdict) => {
    const answer = JSON.parse(renderVerdict(verdict)) as JsonObject;
    const denial = verdict.kind === 'refuse' ? renderDenial(verdict.reason) : '{}';
    return JSON.stringify({ ...answer, ...(JSON.parse(denial) as JsonObject) });
  },
};

export const isOfCursor = (payload: JsonObject): boolean =>
  payload.cursor_version !== undefined ||
  payload.conversation_id !== undefined ||
  /^[a-z]/.test(String(payload.hook_event_name ?? ''));
