// Follows halts: nothing that lets an agent act stands between a halt of it and its resumption.
import type { Shown } from '../disclosures.ts';
import type { Position } from '../layout.ts';
import type { Value } from '../text.ts';
import type { View } from '../view.ts';

/** Decisions that are remembered in one piece. */
const CHUNK_ENTRIES = 8192;

/** The halts of a document; those before its first entry are not known, nor are those of sessions and persons. */
export class Halts {
  private readonly first: number;
  /** The halts that bind, by scope and target. */
  private readonly binding = new Map<string, { sequence: number; state: string }>();
  /** The agents of the document's decisions, numbered from 1, and the number of each decision's agent. */
  private readonly agents = new Map<string, number>();
  private readonly names: string[] = [];
  private readonly chunks = new Map<number, Uint32Array>();

  constructor(first: number) {
    this.first = first;
  }

  /** Adds the next entry; returns its fault, or null. */
  addEntry(sequence: number, view: View, shown: ReadonlyMap<string, Shown>): string | null {
    if (view.kind === 'halt') this.addHalt(sequence, view);
    if (view.kind === 'trace' && view.agent) this.rememberAgent(sequence, view.agent);
    const by = this.binding.size === 0 ? null : findPermitter(view, shown);
    return by === null ? null : this.findFault(sequence, view, by);
  }

  private addHalt(sequence: number, { scope, target, state }: View): void {
    const name = `${scope}:${target}`;
    if (state === 'resumed') this.binding.delete(name);
    else this.binding.set(name, { sequence, state: String(state) });
  }

  private findFault(sequence: number, view: View, by: 'policy' | 'person'): string | null {
    const decision = (view.subject as Position | undefined)?.sequence ?? sequence;
    const names = [`organization:${view.organizationId}`];
    if (view.workspaceId) names.push(`workspace:${view.workspaceId}`);
    const agent = this.readAgent(decision);
    if (agent !== null) names.push(`agent:${agent}`);
    for (const name of names) {
      const halt = this.binding.get(name);
      if (halt && (halt.state === 'halted' || by === 'policy'))
        return `it acts behind the halt at ${halt.sequence}`;
    }
    return null;
  }

  private rememberAgent(sequence: number, agent: string): void {
    const index = sequence - this.first;
    const place = Math.floor(index / CHUNK_ENTRIES);
    const chunk = this.chunks.get(place) ?? new Uint32Array(CHUNK_ENTRIES);
    this.chunks.set(place, chunk);
    const number = this.agents.get(agent) ?? this.names.push(agent);
    this.agents.set(agent, number);
    chunk[index % CHUNK_ENTRIES] = number;
  }

  private readAgent(decision: number): string | null {
    const index = decision - this.first;
    const number = this.chunks.get(Math.floor(index / CHUNK_ENTRIES))?.[index % CHUNK_ENTRIES] ?? 0;
    return this.names[number - 1] ?? null;
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
  const adapter = shown.get('adapter')?.values[0]?.value as { mode?: Value } | null | undefined;
  return typeof adapter === 'object' && adapter !== null && adapter.mode !== 'observed';
}
