// What the hooks of coding agents have in common: a call before it runs, what became of it, and a verdict.
import type { Action } from '../../../sdk-typescript/src/action-names.ts';
import { CommandFailure } from '../output.ts';
import type { Json, JsonObject } from '../../../sdk-typescript/src/json.ts';

export { type Action, nameAction } from '../../../sdk-typescript/src/action-names.ts';

/** A call of a tool, as Assay names it: the same from every host, so that one policy fits all. */
export interface HostCall {
  /** The run or conversation, as the host names it. */
  session: string;
  /** The call in the run; undefined: the host names none, and the action stands for it. */
  callId: string | undefined;
  action: Action;
  /** What the model says that the call is for. */
  rationale: string | undefined;
  /** What the host says beside it: how it asks for permission, and which of its agents acts. */
  about?: JsonObject;
  /** The prompt that began it, where the event has it. */
  prompt?: string | undefined;
  /** The event, where a host has several about one act: the second finds the decision of the first. */
  event?: string;
  /** Makes the host's input of arguments that a reviewer changed; undefined, or nothing: the host does not take them. */
  toInput: ((edited: Json) => Json | undefined) | undefined;
}

export type HookEvent =
  | { kind: 'before'; call: HostCall }
  | { kind: 'after'; call: HostCall; outcome: 'succeeded' | 'failed' | 'unknown'; result: Json }
  /** What a person asks for; the calls after it name it. */
  | { kind: 'prompt'; session: string; prompt: string }
  /** The session is over. */
  | { kind: 'end'; session: string }
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

/** What hosts say about a call beside the call, by their names and ours. */
const ABOUT = {
  permission_mode: 'permissionMode',
  agent_id: 'subagentId',
  agent_type: 'subagentType',
  prompt_id: 'promptId',
  turn_id: 'turnId',
  generation_id: 'generationId',
  model: 'model',
} as const;

export function readAbout(payload: JsonObject): JsonObject {
  const found = Object.entries(ABOUT).flatMap(([theirs, ours]) => {
    const text = readText(payload[theirs]);
    return text === undefined ? [] : [[ours, text.slice(0, 200)] as const];
  });
  return Object.fromEntries(found);
}

/** Some hosts write the members of an event in camel case. */
export function toSnakeCase(payload: JsonObject): JsonObject {
  const spelled = Object.entries(payload).map(([name, value]): [string, Json] => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return { ...Object.fromEntries(spelled), ...payload };
}

/** The input of a tool. @throws CommandFailure where the event has none: nothing stands for it */
export function readInput(input: Json | undefined, event: string): Json {
  if (input === undefined || input === null)
    throw new CommandFailure(`${event} has no input of the tool`);
  return input;
}

export const readText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
