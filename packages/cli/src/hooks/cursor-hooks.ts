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
  readText,
} from './host-call.ts';

const BEFORE = new Set([
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
  'preToolUse',
]);
const AFTER = new Set([
  'afterShellExecution',
  'afterMCPExecution',
  'postToolUse',
  'postToolUseFailure',
]);

function readEvent(payload: JsonObject): HookEvent {
  const event = String(payload.hook_event_name ?? '');
  if (BEFORE.has(event)) return { kind: 'before', call: readCall(event, payload) };
  if (AFTER.has(event))
    return {
      kind: 'after',
      call: readCall(event, payload),
      outcome: readOutcome(event, payload),
      result: payload.output ?? payload.result_json ?? payload.tool_output ?? null,
    };
  if (/^(before|pre)/.test(event) && (payload.command ?? payload.tool_name) !== undefined)
    throw new CommandFailure(`the event ${event} is not known`);
  return { kind: 'other' };
}

function readCall(event: string, payload: JsonObject): HostCall {
  const isTool = event === 'preToolUse' || event.startsWith('postToolUse');
  return {
    session: readText(payload.conversation_id) ?? 'none',
    callId: isTool ? readText(payload.tool_use_id) : undefined,
    action: readAction(event, payload),
    rationale: readText(payload.agent_message),
    toInput: isTool ? (edited) => edited : undefined,
  };
}

function readAction(event: string, payload: JsonObject): Action {
  const { command, cwd, file_path: file } = payload;
  if (event.endsWith('ShellExecution')) {
    if (typeof command !== 'string') throw new CommandFailure(`${event} names no command`);
    return nameAction('cursor', { name: event, input: { command }, cwd });
  }
  if (event === 'beforeReadFile') return { tool: 'Read', arguments: { file_path: file ?? null } };
  const name = readText(payload.tool_name);
  if (name === undefined) throw new CommandFailure(`${event} names no tool`);
  const input = parseInput(payload.tool_input);
  if (event.endsWith('MCPExecution')) {
    const server = readText(payload.mcp_server_name) ?? readText(payload.url) ?? readText(command);
    return nameAction('mcp', { name, input, server });
  }
  const folder = isObject(input) ? input.working_directory : undefined;
  return nameAction('cursor', { name, input, cwd: folder ?? cwd });
}

/** The arguments of a tool of an MCP server come as a text of JSON. */
function parseInput(input: Json = {}): Json {
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
