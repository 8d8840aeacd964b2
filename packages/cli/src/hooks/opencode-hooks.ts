// What the plugin for opencode sends and gets: `assay init --hook opencode` writes it. It throws for a refusal.
import { nameServer } from '../../../sdk-typescript/src/action-names.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure } from '../output.ts';
import {
  type HookEvent,
  type Host,
  type HostCall,
  nameAction,
  readInput,
  readText,
} from './host-call.ts';
import { addPatchFiles } from './patch-files.ts';

function readEvent(payload: JsonObject): HookEvent {
  const { event } = payload;
  if (event === 'tool.execute.before') return { kind: 'before', call: readCall(payload) };
  if (event === 'tool.execute.after')
    return {
      kind: 'after',
      call: readCall({ args: {}, ...payload }),
      outcome: 'succeeded',
      result: payload.output ?? null,
    };
  throw new CommandFailure('the event is tool.execute.before or tool.execute.after');
}

function readCall(payload: JsonObject): HostCall {
  const { tool, sessionID, callID, directory, servers = [] } = payload;
  const name = readText(tool);
  if (name === undefined) throw new CommandFailure('the event names no tool');
  const args = readInput(payload.args, 'the event');
  const isShell = name === 'bash' && isObject(args);
  if (isShell && typeof args.command !== 'string')
    throw new CommandFailure('the event names no command');
  const cwd = (isShell && readText(args.workdir)) || readText(directory);
  const named = splitName(name, Array.isArray(servers) ? servers : []);
  return {
    session: readText(sessionID) ?? 'none',
    callId: readText(callID),
    action: addPatchFiles(nameAction('opencode', { ...named, input: args, cwd })),
    rationale: isObject(args) ? readText(args.description) : undefined,
    toInput: (edited) =>
      isShell && isObject(edited) && args.description !== undefined
        ? { description: args.description, ...edited }
        : edited,
  };
}

/** opencode joins server and tool by an underscore; of two servers whose names fit, the longer one is meant. */
function splitName(name: string, servers: readonly Json[]): { name: string; server?: string } {
  const [server] = servers
    .filter(
      (one): one is string => typeof one === 'string' && name.startsWith(`${nameServer(one)}_`),
    )
    .sort((one, other) => other.length - one.length);
  if (server === undefined) return { name };
  return { name: name.slice(nameServer(server).length + 1), server };
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
