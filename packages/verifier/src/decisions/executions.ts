// Follows claims and outcomes: an action is claimed once, its outcome is final, and an effect has one live claim.
import type { Shown } from '../disclosures.ts';
import type { Position } from '../layout.ts';
import type { Value } from '../text.ts';
import type { ExecutionState, View } from '../view.ts';

interface Execution {
  executionId: string;
  state: ExecutionState;
  /** The keys of its effects, where they are shown. */
  effects: readonly Value[];
}

/** The executions of the decisions of a document. */
export class Executions {
  private readonly first: number;
  /** What became of each claimed action, by the sequence of its decision. */
  private readonly byDecision = new Map<number, Execution>();
  /** The decision whose claim has an effect, by the key of the effect. */
  private readonly holders = new Map<Value, number>();

  /** `first`: the first sequence of the document; what happened before is not known. */
  constructor(first: number) {
    this.first = first;
  }

  /** Adds the next entry of an execution; returns its fault, or null. */
  addEntry(
    { kind, subject, executionId, state }: View,
    shown: ReadonlyMap<string, Shown>,
  ): string | null {
    if (kind !== 'execution') return null;
    const decision = (subject as Position).sequence;
    const before = this.byDecision.get(decision);
    const effects = state === 'claimed' ? readEffects(shown) : (before?.effects ?? []);
    const next = { executionId, state, effects } as Execution;
    this.byDecision.set(decision, next);
    const fault = this.findFault(decision, before, next);
    return this.moveEffects(decision, next) ?? fault;
  }

  private findFault(
    decision: number,
    before: Execution | undefined,
    { executionId, state }: Execution,
  ): string | null {
    if (state === 'claimed') return before ? 'the action is claimed a second time' : null;
    if (!before) return decision >= this.first ? 'it ends an execution that was not claimed' : null;
    if (before.executionId !== executionId) return 'it ends an execution that was not claimed';
    const mayEnd =
      before.state === 'claimed' || (before.state === 'unknown' && state !== 'unknown');
    return mayEnd ? null : 'the execution has ended';
  }

  /** A claim takes its effects, and gives them back when it fails. */
  private moveEffects(decision: number, { state, effects }: Execution): string | null {
    let fault: string | null = null;
    for (const effect of effects) {
      const holder = this.holders.get(effect) ?? decision;
      if (state === 'claimed' && holder !== decision)
        fault = `an effect is claimed a second time: that of the decision at ${holder} had not failed`;
      if (state === 'claimed') this.holders.set(effect, decision);
      else if (state === 'failed' && holder === decision) this.holders.delete(effect);
    }
    return fault;
  }
}

function readEffects(shown: ReadonlyMap<string, Shown>): readonly Value[] {
  const keys = shown.get('effects')?.values[0]?.value;
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}
