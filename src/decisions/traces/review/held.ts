// The type of a decision held for review, and the filter that finds it.
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { isObjectIdText } from '../trace-names.ts';
import type { Held, TraceView } from '../traces.view.ts';

export type HeldDecision = TraceView & { held: Held };

export function isHeld(trace: TraceView): trace is HeldDecision {
  return trace.held !== null;
}

/** Filter for the decision of a review item, by the item's id or by its own `traceId`. */
export function toItemNameFilter(name: string): object {
  return isObjectIdText(name)
    ? toItemFilter([name])
    : { traceId: name, 'review._id': { $exists: true } };
}

/** Filter for decisions by the ids of their review items. */
export function toItemFilter(ids: readonly string[]): object {
  return { 'review._id': { $in: ids.map(toObjectId) } };
}
