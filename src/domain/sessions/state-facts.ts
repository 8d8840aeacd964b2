// The facts of tools and session that a recorded decision was judged on.
import { deriveStateFacts, type StateFacts } from '@assay/policy';
import type { CommittedState } from '../record/committed-state.ts';

/** Undefined: it was judged without. */
export function rebuildStateFacts({
  acts = [],
  after = [],
  listed: isListed = false,
  values,
  session,
}: CommittedState): StateFacts | undefined {
  const { before, at, named = false } = session ?? {};
  if (!before || at === undefined) return undefined;
  const judged = { acts, after, isListed, values };
  return deriveStateFacts(judged, before, { at: new Date(at), isNamed: named });
}
