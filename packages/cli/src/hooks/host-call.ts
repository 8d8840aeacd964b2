// What the hooks of coding agents have in common: a call before it runs, what became of it, and a verdict.
import type { Action } from '../../../sdk-typescript/src/action-names.ts';
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
  /** Makes the host's input of arguments that a reviewer changed; undefined: the host takes no changes. */
  toInput: ((edited: Json) => Json) | undefined;
}

export type HookEvent =
  | { kind: 'before'; call: HostCall }
  | { kind: 'after'; call: HostCall; outcome: 'succeeded' | 'failed' | 'unknown'; result: Json }
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

export const readText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
