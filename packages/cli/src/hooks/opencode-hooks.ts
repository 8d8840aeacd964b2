// What the plugin for opencode sends and gets: `assay init --hook opencode` writes it. It throws for a refusal.
import { isObject, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure } from '../output.ts';
import { type HookEvent, type Host, type HostCall, nameAction, readText } from './host-call.ts';

function readEvent(payload: JsonObject): HookEvent {
  const { event } = payload;
  if (event === 'tool.execute.before') return { kind: 'before', call: readCall(payload) };
  if (event === 'tool.execute.after')
    return {
      kind: 'after',
      call: readCall(payload),
      outcome: 'succeeded',
      result: payload.output ?? null,
    };
  throw new CommandFailure('the event is tool.execute.before or tool.execute.after');
}

function readCall({ tool, sessionID, callID, args = {}, directory }: JsonObject): HostCall {
  if (typeof tool !== 'string') throw new CommandFailure('the event names no tool');
  const isShell = tool === 'bash' && isObject(args);
  return {
    session: readText(sessionID) ?? 'none',
    callId: readText(callID),
    action: nameAction('opencode', {
      name: tool,
      input: args,
      cwd: (isShell && args.workdir) || directory,
    }),
    rationale: isObject(args) ? readText(args.description) : undefined,
    toInput: (edited) =>
      isShell && isObject(edited) && args.description !== undefined
        ? { description: args.description, ...edited }
        : edited,
  };
}

export const opencode: Host = {
  silence: '{}',
  read: readEvent,
  render: (verdict) => {
    if (verdict.kind === 'refuse') return JSON.stringify({ allow: false, reason: verdict.reason });
    const changed = verdict.input === undefined ? {} : { args: verdict.input };
    return JSON.stringify({ allow: true, ...changed });
  },
};
