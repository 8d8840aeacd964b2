// The hooks of Claude Code and of Codex, which share their form: `PreToolUse` before a call, `PostToolUse` after it.
import { isObject, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure } from '../output.ts';
import {
  type HookEvent,
  type HookVerdict,
  type Host,
  type HostCall,
  nameAction,
  readText,
} from './host-call.ts';

const SHELLS = new Set(['Bash', 'PowerShell']);
/** Events about no call. Another event that names a tool is one of a later version: it is refused. */
const AFTER = new Map([
  ['PostToolUse', 'succeeded'],
  ['PostToolUseFailure', 'failed'],
] as const);

function readEvent(payload: JsonObject): HookEvent {
  const event = String(payload.hook_event_name ?? '');
  if (event === 'PreToolUse') return { kind: 'before', call: readCall(payload) };
  const outcome = AFTER.get(event as 'PostToolUse');
  if (outcome !== undefined) {
    const result = payload.tool_response ?? payload.error ?? null;
    return { kind: 'after', call: readCall(payload), outcome, result };
  }
  if (payload.tool_name !== undefined)
    throw new CommandFailure(`the event ${event || 'without a name'} is not known`);
  return { kind: 'other' };
}

function readCall(payload: JsonObject): HostCall {
  const { tool_name: name, tool_input: input = {}, cwd } = payload;
  if (typeof name !== 'string') throw new CommandFailure('the event names no tool');
  const isShell = SHELLS.has(name) && isObject(input);
  return {
    session: readText(payload.session_id) ?? 'none',
    callId: readText(payload.tool_use_id),
    action: nameAction('claude-code', { name, input, cwd }),
    rationale: isObject(input) ? readText(input.description) : undefined,
    toInput: (edited) =>
      isShell && isObject(edited) && input.description !== undefined
        ? { description: input.description, ...edited }
        : edited,
  };
}

const renderDecision = (decision: JsonObject): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });

function renderDenial(reason: string): string {
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
  read: readEvent,
  render: (verdict) => {
    if (verdict.kind === 'refuse') return renderDenial(verdict.reason);
    return verdict.isApproved ? renderInput(verdict) : '';
  },
};

/** Codex takes `allow` only together with another input. */
export const codex: Host = {
  silence: '',
  read: readEvent,
  render: (verdict) => {
    if (verdict.kind === 'refuse') return renderDenial(verdict.reason);
    return verdict.input === undefined ? '' : renderInput(verdict);
  },
};
