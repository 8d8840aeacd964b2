// Decides whether the time of a review or of its approval is over: it stands still while the action is halted.
import { isApprovalUsable, isLapsed } from '@assay/policy';
import type { Platform } from '../../../platform/platform.ts';
import { readActPlace } from '../../../domain/halt/act.ts';
import type { TraceDocument } from '../traces.model.ts';

type Deps = Pick<Platform, 'ledger' | 'clock'>;
/** What is read of a decision; one whose values are not decrypted is not known to act for a person. */
type Held = Pick<
  TraceDocument,
  | 'organizationId'
  | 'workspaceId'
  | 'agentId'
  | 'answer'
  | 'sessionId'
  | 'sealed'
  | 'createdAt'
  | 'review'
>;

/** The members that these functions read. */
export const HELD_MEMBERS =
  'organizationId workspaceId agentId answer sessionId sealed createdAt review';

/** Whether a verdict comes too late, though the expiry may not be sealed yet. */
export async function isOver({ ledger, clock }: Deps, held: Held): Promise<boolean> {
  const { review } = held;
  if (!review || !isLapsed(review, clock.now())) return false;
  const [over = true] = await findOver({ ledger, clock }, [held]);
  return over;
}

/** Whether a verdict may still be given. */
export async function isDecidable(deps: Deps, trace: TraceDocument): Promise<boolean> {
  return !trace.deletedAt && trace.review?.status === 'pending' && !(await isOver(deps, trace));
}

/** Whether an approval may still be acted on. */
export async function isUsable({ ledger, clock }: Deps, held: Held): Promise<boolean> {
  const { review } = held;
  if (!review || isApprovalUsable(review, clock.now())) return true;
  if (review.status !== 'approved') return false;
  const [over = true] = await findOver({ ledger, clock }, [held]);
  return !over;
}

/** Says of decisions of one organisation whose time seems over whether it is, in their order. */
export async function findOver({ ledger, clock }: Deps, held: readonly Held[]): Promise<boolean[]> {
  const organizationId = held[0]?.organizationId.toHexString();
  if (organizationId === undefined) return [];
  const waits = held.map((one) => ({
    place: readActPlace(one),
    from: one.createdAt,
    end: one.review?.expiresAt ?? one.createdAt,
  }));
  const now = clock.now();
  const ends = await ledger.halts.computeEnds(organizationId, waits);
  return ends.map((end) => end !== null && end <= now);
}
