// Answers one event of a host's hook. Whatever goes wrong before a call, the call is refused.
import { HttpClient } from '../../../sdk-typescript/src/http-client.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { Service } from '../../../sdk-typescript/src/service.ts';
import { CommandFailure, toLine } from '../output.ts';
import type { Profile } from '../profile.ts';
import { claudeCode, codex } from './claude-hooks.ts';
import { copilot, copilotAsClaude, isOfCopilot } from './copilot-hooks.ts';
import { cursor, cursorAsClaude, isOfCursor } from './cursor-hooks.ts';
import { geminiCli } from './gemini-hooks.ts';
import { HookGate } from './hook-gate.ts';
import type { HookStore } from './hook-store.ts';
import type { Host, HostCall, HookVerdict } from './host-call.ts';
import { opencode } from './opencode-hooks.ts';

export const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': claudeCode,
  codex,
  cursor,
  opencode,
  'gemini-cli': geminiCli,
  copilot,
};

export interface HookSettings {
  /** Name of the host. */
  host: string;
  /** Reads who asks; it fails where that is not set. */
  readProfile: () => Promise<Profile>;
  /** Seconds to wait for a person. */
  wait: number;
  store: HookStore;
  /** Ends the wait: the host has gone, and the request is withdrawn. */
  signal?: AbortSignal;
  /** Hears what could not be done, where the host is not disturbed by it. */
  warn?: (text: string) => void;
}

/** By this name its decisions say where they come from. */
const PROGRAM = 'assay-hook/0.1.0';
const TIMEOUT_MS = 7_000;
/** What the answer may take beyond the wait; the host's limit has to be above both. */
const MARGIN_MS = 8_000;

/** Returns what is printed for an event. @throws CommandFailure for an event that cannot be understood */
export async function answerHook(text: string, settings: HookSettings): Promise<string> {
  const named = HOSTS[settings.host];
  if (!named) throw new CommandFailure(`the hosts are ${Object.keys(HOSTS).join(', ')}`);
  const payload = parsePayload(text);
  const { name, host } = findRealHost(settings.host, named, payload);
  const asked = { ...settings, host: name };
  try {
    const event = host.read(payload);
    if (event.kind === 'before') return host.render(await decideInTime(event.call, asked));
    if (event.kind === 'after') await (await openGate(asked)).record(event);
    if (event.kind === 'prompt') await settings.store.keepPrompt(event);
    if (event.kind === 'end') await settings.store.seen.forget(event.session);
  } catch (error) {
    if (!isHarmless(payload)) throw error;
    settings.warn?.(`assay: the event is not recorded: ${describe(error)}`);
  }
  return host.silence;
}

/** Other hosts run the hooks of Claude Code too, with events of their own. */
function findRealHost(name: string, host: Host, payload: JsonObject): { name: string; host: Host } {
  if (host !== claudeCode) return { name, host };
  if (isOfCursor(payload)) return { name: 'cursor', host: cursorAsClaude };
  if (isOfCopilot(payload)) return { name: 'copilot', host: copilotAsClaude };
  return { name, host };
}

/** Whether the host has nothing left to stop: an answer other than silence would only disturb it. */
const isHarmless = ({ hook_event_name: name, hookEventName, event }: JsonObject): boolean =>
  /^(post|after|userPromptSubmit|beforeSubmitPrompt|beforeAgent|sessionEnd|tool\.execute\.after)/i.test(
    String(name ?? hookEventName ?? event ?? ''),
  );

/** Refuses when no verdict is there in time: a host whose hook runs out of time may let the call pass. */
async function decideInTime(call: HostCall, settings: HookSettings): Promise<HookVerdict> {
  const seconds = Number.isFinite(settings.wait) ? settings.wait : 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HookVerdict>((resolve) => {
    const reason = 'Assay did not answer in time. Nothing has run.';
    timer = setTimeout(() => resolve({ kind: 'refuse', reason }), seconds * 1000 + MARGIN_MS);
  });
  try {
    return await Promise.race([decide(call, settings), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function decide(call: HostCall, settings: HookSettings): Promise<HookVerdict> {
  try {
    requireExact(call.action.arguments);
    return await (await openGate(settings)).decide(call, settings.signal);
  } catch (error) {
    return { kind: 'refuse', reason: `Assay: ${describe(error)}. Nothing has run.` };
  }
}

/** @throws CommandFailure for an integer that was rounded as it was read: one approval would fit several calls */
function requireExact(args: Json): void {
  const open: (readonly [path: string, value: Json])[] = [['', args]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, value] = next;
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      throw new CommandFailure(
        `the argument ${toLine(path.slice(1))} is an integer beyond 2^53 - 1, which is not read exactly: it has to be a text, in quotes`,
      );
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, item] of Object.entries(value)) open.push([`${path}.${name}`, item]);
  }
}

async function openGate({ host, readProfile, wait, store }: HookSettings): Promise<HookGate> {
  if (!(wait >= 0)) throw new CommandFailure('--wait takes a number of seconds');
  const { url, key, agent: named } = await readProfile();
  if (key === undefined)
    throw new CommandFailure('no API key is set: ASSAY_KEY, or assay dev, or a profile with one');
  const http = new HttpClient({
    url,
    key,
    token: undefined,
    timeout: TIMEOUT_MS,
    fetch,
    client: PROGRAM,
  });
  const service = new Service(http, url);
  const agent = named ?? (await findAgent(service));
  return new HookGate({ service, store, host, agent, scope: `${url} ${agent}`, wait: wait * 1000 });
}

async function findAgent(service: Service): Promise<string> {
  const { agent = null } = await service.readKey();
  if (isObject(agent)) return String(agent._id);
  throw new CommandFailure('the key belongs to no agent: set ASSAY_AGENT');
}

function parsePayload(text: string): JsonObject {
  let payload: Json;
  try {
    // PowerShell begins what it passes on with a byte order mark.
    payload = JSON.parse(text.replace(/^\ufeff/, '')) as Json;
  } catch {
    throw new CommandFailure('standard input is no JSON, where a host sends the event of its hook');
  }
  if (!isObject(payload)) throw new CommandFailure('the event of a hook is a JSON object');
  return payload;
}

const describe = (error: unknown): string => toLine((error as Error).message, 300);
