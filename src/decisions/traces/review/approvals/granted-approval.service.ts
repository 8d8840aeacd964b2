// An approval with a standing grant: what cannot be granted is refused before anything is sealed.
import type { UserContext } from '../../../../platform/context.ts';
import { getTraceNeighbours } from '../../neighbours.service.ts';
import { decideReview } from '../review-decisions.service.ts';
import type { DecisionInput } from '../review.schemas.ts';
import type { VerdictWay } from '../review-amendment.ts';

/**
 * Decides, and gives the grant with an approval that asks for one. Should the grant fail after the approval was sealed,
 * POST /grants gives it.
 * @throws AppError as `decideReview` and `planGrant` do
 */
export async function decideAndGrant(
  ctx: UserContext,
  id: string,
  { grant, ...verdict }: DecisionInput & { way?: VerdictWay },
): Promise<{ grantId?: string }> {
  if (!grant) {
    await decideReview(ctx, id, verdict);
    return {};
  }
  const give = await getTraceNeighbours(ctx.platform).planGrant(ctx, id, grant);
  await decideReview(ctx, id, verdict);
  return { grantId: await give() };
}
