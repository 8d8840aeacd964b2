// A decision that was held for a person, and how it is found.
import { objectId } from '../../../ledger/ledger.model.ts';
import type { Held, TraceView } from '../traces.view.ts';

export type HeldDecision = TraceView & { held: Held };

export function isHeld(trace: TraceView): trace is HeldDecision {
  return trace.held !== null;
}

/** By the ids of their review items. */
export function ofItems(ids: readonly string[]): object {
  return { 'review._id': { $in: ids.map(objectId) } };
}
