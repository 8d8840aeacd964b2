// The hooks of Claude Code and of Codex, which share their form: `PreToolUse` before a call, `PostToolUse` after it.
import { isObject, type JsonObject } from '../../../sdk-typescript/src/json.ts';
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

const SHELLS = new Set(['Bash', 'PowerShell']);
/** Events about no call. Another event that names a tool is one of a later version: it is refused. */
const AFTER = new Map([
  ['PostToolUse', 'succeeded'],
  ['PostToolUseFailure', 'failed'],
] as const);

/** Events before something that is no call. */
const HARMLESS = new Set(['PreCompact']);

function readEvent(given: JsonObject, way: 'claude-code' | 'codex'): HookEvent {
  const payload = toSnakeCase(given);
  const event = readText(payload.hook_event_name) ?? '';
  if (event === 'PreToolUse') return { kind: 'before', call: readCall(payload, way) };
  const outcome = AFTER.get(event as 'PostToolUse');
  if (outcome !== undefined) {
    const result = payload.tool_response ?? payload.error ?? null;
    // The call is known by its id: its input may be missing here.
    const call = readCall({ tool_input: {}, ...payload }, way);
    return { kind: 'after', call, outcome, result };
  }
  const prompt = readText(payload.prompt);
  if (event === 'UserPromptSubmit' && prompt !== undefined)
    return { kind: 'prompt', session: readSession(payload), prompt };
  const isBefore = /^(pre|before|permission)/i.test(event) && !HARMLESS.has(event);
  if (event === '' || isBefore || payload.tool_name !== undefined)
    throw new CommandFailure(`the event ${event || 'without a name'} is not known`);
  return { kind: 'other' };
}

const readSession = (payload: JsonObject): string => readText(payload.session_id) ?? 'none';

function readCall(payload: JsonObject, way: 'claude-code' | 'codex'): HostCall {
  const name = readText(payload.tool_name);
  if (name === undefined) throw new CommandFailure('the event names no tool');
  const input = readInput(payload.tool_input, 'the event');
  const isShell = SHELLS.has(name) && isObject(input);
  if (isShell && typeof input.command !== 'string')
    throw new CommandFailure('the event names no command');
  const cwd = readText(payload.cwd);
  return {
    session: readSession(payload),
    callId: readText(payload.tool_use_id),
    action: addPatchFiles(nameAction(way, { name, input, cwd })),
    rationale: isObject(input) ? readText(input.description) : undefined,
    about: readAbout(payload),
    prompt: readText(payload.prompt),
    toInput: (edited) =>
      isShell && isObject(edited) && input.description !== undefined
        ? { description: input.description, ...edited }
        : edited,
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
  read: (payload) => readEvent(payload, 'claude-code'),
  render: (verdict) => {
    if (verdict.kind === 'refuse') return renderDenial(verdict.reason);
    return verdict.isApproved ? renderInput(verdict) : '';
  },
};

/** Codex takes `allow` only together with another input. */
export const codex: Host = {
  silence: '',
  read: (payload) => readEvent(payload, 'codex'),
  render: (verdict) => {
    if (verdict.kind === 'refuse') return renderDenial(verdict.reason);
    return verdict.input === undefined ? '' : renderInput(verdict);
  },
};
