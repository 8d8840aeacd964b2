// Halts: what an agent may not do while a person has stopped it, as the chain says (formats.md, section 15).

import { findHalting, type HaltReach, type PolicyVerdict } from '@assay/policy';

export const HALT_SCOPES = ['session', 'agent', 'workspace', 'organization', 'person'] as const;
export type HaltScope = (typeof HALT_SCOPES)[number];

/** `watched`: an action needs a person. */
export const HALT_STATES = ['halted', 'watched', 'resumed'] as const;
export type HaltState = (typeof HALT_STATES)[number];

/** What a halt entry says, and its place in the chain. */
export interface HaltEntry {
  scope: HaltScope;
  /** 24 hex digits; of a session or an unregistered agent 22 characters. */
  target: string;
  state: HaltState;
  sequence: number;
  createdAt: Date;
}

/** What the service halts for by itself. */
export const HALT_CAUSES = ['policy', 'membership'] as const;
export type HaltCause = (typeof HALT_CAUSES)[number];

/** A halt entry with what only its document says. */
export interface HaltRecord extends HaltEntry {
  /** The id of its document. */
  id: string;
  /** The user who caused it; null: a key or the service. */
  by: string | null;
  chainHash: string;
  /** Null: none was given, or it was erased. */
  reason: string | null;
  /** What is halted, as people call it; null: erased. */
  name: string | null;
  /** What the service made it for; null: a person or a key asked, or it was erased. */
  cause: HaltCause | null;
  /** Which session it is; null: it is of another scope, or it was erased. */
  session: HaltedSession | null;
}

/** A halt that binds. */
export type Halt = HaltEntry & { state: 'halted' | 'watched' };

/** The halts by which an act is bound. */
export interface ActPlace {
  workspaceId: string | null;
  /** The id of a registered agent, else the mark of its name. */
  agent: string;
  /** As the caller named it; null: it named none. */
  sessionId: string | null;
  /** Ids of the users for whom it is done. */
  persons: readonly string[];
}

/** What an entry lets an agent do. */
export interface Act extends ActPlace {
  /** Who let it: under a watch only what a person approved passes. */
  by: 'policy' | 'person';
}

/** What a session is: that of an agent in a workspace. */
export interface HaltedSession extends Pick<ActPlace, 'workspaceId' | 'agent'> {
  sessionId: string;
}

/** Derives the target of a halt of a session; null: the act names no session. */
export type ReadSessionKey = (organizationId: string, place: ActPlace) => string | null;

/** A halt as the decision that it stopped commits to it. */
export interface HaltNotice {
  scope: HaltScope;
  state: Halt['state'];
  /** ISO 8601. */
  since: string;
  sequence: number;
  /** Null: none was given, or it was erased. */
  reason: string | null;
}

/** What a policy that blocked a decision has halted as well, as the decision commits to it. */
export interface PolicyHalt {
  /** The id of the policy. */
  policy: string;
  name: string;
  scope: HaltReach;
}

/** What these policies halt, as their decision commits to it; null: none does. */
export function findPolicyHalt(matched: PolicyVerdict['matched']): PolicyHalt | null {
  const found = findHalting(matched);
  return found && { policy: found.id, name: found.name, scope: found.halt };
}

/** What is halted, or may be, in one text. */
export const toHaltName = (scope: HaltScope, target: string): string => `${scope}:${target}`;

/** The halts of an organisation up to one entry of its chain; adding makes another one. */
export class Halts {
  /** The sequence of the newest halt entry; 0: there is none. */
  readonly control: number;
  readonly #binding: ReadonlyMap<string, Halt>;

  constructor(control = 0, binding: ReadonlyMap<string, Halt> = new Map()) {
    this.control = control;
    this.#binding = binding;
  }

  /** The halts that bind, in order of their targets' first halt. */
  list(): Halt[] {
    return [...this.#binding.values()];
  }

  /** Returns the halts after later entries, which MUST be in order of sequence. */
  addEntries(entries: readonly HaltEntry[]): Halts {
    const newest = entries.at(-1);
    if (!newest) return this;
    const binding = new Map(this.#binding);
    for (const entry of entries) {
      const name = toHaltName(entry.scope, entry.target);
      if (isBinding(entry)) binding.set(name, entry);
      else binding.delete(name);
    }
    return new Halts(newest.sequence, binding);
  }

  /** Finds what forbids an act, `halted` before `watched`, the earliest first; null: nothing does. */
  findBlocking(organizationId: string, act: Act, readSessionKey: ReadSessionKey): Halt | null {
    if (this.#binding.size === 0) return null;
    const bound = this.listTargets(organizationId, act, readSessionKey)
      .flatMap((name) => this.#binding.get(name) ?? [])
      .filter(({ state }) => state === 'halted' || act.by === 'policy');
    const halted = bound.filter(({ state }) => state === 'halted');
    const [first = null] = (halted.length > 0 ? halted : bound).toSorted(
      (a, b) => a.sequence - b.sequence,
    );
    return first;
  }

  /** Names all targets within which an act stands; that of its session only where sessions are halted. */
  listTargets(organizationId: string, act: ActPlace, readSessionKey: ReadSessionKey): string[] {
    const names = [
      toHaltName('organization', organizationId),
      toHaltName('agent', act.agent),
      ...act.persons.map((person) => toHaltName('person', person)),
    ];
    if (act.workspaceId !== null) names.push(toHaltName('workspace', act.workspaceId));
    const key = this.#hasSessions() ? readSessionKey(organizationId, act) : null;
    if (key !== null) names.push(toHaltName('session', key));
    return names;
  }

  #hasSessions(): boolean {
    for (const { scope } of this.#binding.values()) if (scope === 'session') return true;
    return false;
  }
}

/** Whether it still forbids something. */
export const isBinding = <S extends { state: HaltState }>(
  halted: S,
): halted is S & Pick<Halt, 'state'> => halted.state !== 'resumed';

/** A span of time in which something was halted; `to` null: it still is. */
export interface HaltedSpan {
  from: Date;
  to: Date | null;
}

/** Lists when one target was halted, by its entries in order of sequence; being watched is not being halted. */
export function listHaltedSpans(entries: readonly HaltEntry[]): HaltedSpan[] {
  const spans: HaltedSpan[] = [];
  for (const { state, createdAt } of entries) {
    const open = spans.at(-1);
    const isOpen = open?.to === null;
    if (state === 'halted' && !isOpen) spans.push({ from: createdAt, to: null });
    else if (state !== 'halted' && isOpen) open.to = createdAt;
  }
  return spans;
}

/**
 * Computes the end of a wait that stands still while its action is halted: the halted time within it is added, once
 * where spans overlap. Null: it is halted now, so there is no end yet.
 */
export function computeFrozenEnd(
  { from, end }: { from: Date; end: Date },
  spans: readonly HaltedSpan[],
): Date | null {
  let until = end.getTime();
  let counted = from.getTime();
  const sorted = spans.toSorted((a, b) => a.from.getTime() - b.from.getTime());
  for (const span of sorted) {
    const start = Math.max(span.from.getTime(), counted);
    if (start >= until) break;
    if (span.to === null) return null;
    const stop = Math.max(span.to.getTime(), start);
    until += stop - start;
    counted = stop;
  }
  return new Date(until);
}
