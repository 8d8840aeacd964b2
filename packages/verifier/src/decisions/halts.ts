// Follows halts: nothing that lets an agent act stands between a halt of it and its resumption.
import type { Shown } from '../disclosures.ts';
import type { Position } from '../layout.ts';
import type { Value } from '../text.ts';
import type { View } from '../view.ts';
import { PlaceMarks, toMark } from './place-marks.ts';
import { listPlaceNames, readSession, readShown, toSessionName } from './places.ts';

/** The halts of a document; those before its first entry are not known, nor what a document does not show. */
export class Halts {
  /** The halts that bind, by the mark of scope and target; those of sessions by that of what the session is. */
  private readonly binding = new Map<number, { sequence: number; state: string }>();
  /** What each halted session is, by target. */
  private readonly sessions = new Map<string, string>();
  private readonly places: PlaceMarks;

  constructor(first: number) {
    this.places = new PlaceMarks(first);
  }

  /** Adds the next entry; returns its fault, or null. */
  addEntry(sequence: number, view: View, shown: ReadonlyMap<string, Shown>): string | null {
    if (view.kind === 'halt') this.addHalt(sequence, view, shown);
    if (view.kind === 'trace')
      this.places.remember(sequence, listPlaceNames(view, shown).map(toMark));
    const by = this.binding.size === 0 ? null : findPermitter(view, shown);
    return by === null ? null : this.findFault(sequence, view, by);
  }

  private addHalt(sequence: number, view: View, shown: ReadonlyMap<string, Shown>): void {
    const { scope, target, state } = view;
    const mark = toMark(scope === 'session' ? this.findSession(view, shown) : `${scope}:${target}`);
    if (state === 'resumed') this.binding.delete(mark);
    else this.binding.set(mark, { sequence, state: String(state) });
    if (state === 'resumed') this.sessions.delete(String(target));
  }

  /** A halt of a session says what it is; a resumption only names its target. */
  private findSession({ target }: View, shown: ReadonlyMap<string, Shown>): string {
    const session = readSession(shown);
    const known = this.sessions.get(String(target));
    if (known !== undefined || session === null) return known ?? `session:${target}`;
    const name = toSessionName(session);
    this.sessions.set(String(target), name);
    return name;
  }

  private findFault(sequence: number, view: View, by: 'policy' | 'person'): string | null {
    const decision = (view.subject as Position | undefined)?.sequence ?? sequence;
    const above = [`organization:${view.organizationId}`, `workspace:${view.workspaceId}`];
    for (const mark of [...above.map(toMark), ...this.places.list(decision)]) {
      const halt = this.binding.get(mark);
      if (halt && (halt.state === 'halted' || by === 'policy'))
        return `it acts behind the halt at ${halt.sequence}`;
    }
    return null;
  }
}

/** Who lets an agent act by an entry; null: no one, or that cannot be known. A claim may follow a person's approval. */
export function findPermitter(
  { kind, status, decision, state, actor, commitments }: View,
  shown: ReadonlyMap<string, Shown>,
): 'policy' | 'person' | null {
  if (kind === 'review' && decision === 'approve')
    return actor?.kind === 'system' ? 'policy' : 'person';
  if (kind === 'execution' && state === 'claimed') return 'person';
  if (kind !== 'trace' || status !== 'approved') return null;
  const isDoneBefore = Object.hasOwn(commitments, 'adapter') && !isShownAsAsked(shown);
  return isDoneBefore ? null : 'policy';
}

/** Whether `adapter` is shown, and does not say that the action was done before it was reported. */
function isShownAsAsked(shown: ReadonlyMap<string, Shown>): boolean {
  const adapter = readShown(shown, 'adapter') as { mode?: Value } | null | undefined;
  return typeof adapter === 'object' && adapter !== null && adapter.mode !== 'observed';
}
