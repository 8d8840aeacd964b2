// Says what became of an approval that a question brings along: it permitted the question, or why it did not.
import { isJsonObject, type JsonObject } from '@assay/json';
import { computeApprovalEnd } from '../../domain/authzen/access-requests.ts';
import { AppError, type Code } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import type { Permission } from '../traces/permissions/permissions.service.ts';
import { loadNamedTrace } from '../traces/traces.service.ts';
import type { EvaluationAnswer } from './authzen.schemas.ts';

type Explained = Pick<EvaluationAnswer['context'], 'approval' | 'reason' | 'next_action'>;

/** Characters of an id that is looked up. */
const ID_MAX = 100;

/** Why an approval does not permit its own question any more; all other refusals are those of a policy. */
const REASONS: ReadonlyMap<Code, string> = new Map<Code, string>([
  ['APPROVAL_USED', 'approval_expired'],
  ['APPROVAL_EXPIRED', 'approval_expired'],
  ['APPROVAL_MISMATCH', 'out_of_scope'],
]);

/** An approval permits nothing by itself: the question finds its hold, whether it brings one or not. */
export async function explainApproval(
  ctx: Context,
  context: JsonObject | undefined,
  permission: Permission | AppError,
): Promise<Explained> {
  const presented = context?.['approval'];
  if (!isJsonObject(presented) || permission instanceof AppError) return {};
  const id = readId(presented);
  const { answer, state } = permission;
  const { traceId, expiresAt } = answer;
  if (state === 'held')
    return { reason: await findReason(ctx, id, traceId), next_action: 'request' };
  const isOwn = id === traceId;
  if (state === 'allowed') {
    const end = computeApprovalEnd(expiresAt, ctx.platform.clock.now());
    return isOwn ? { approval: { id, approved_until: end } } : {};
  }
  const reason = isOwn ? REASONS.get(permission.error.code) : undefined;
  return { reason: reason ?? 'policy_denied', next_action: 'none' };
}

/** Why an approval is not that of the question, which is held. */
async function findReason(ctx: Context, id: string | null, held: string): Promise<string> {
  if (id === null || id === held || !(await isKnown(ctx, id))) return 'approval_unverifiable';
  const { organizationId } = ctx.tenant;
  // The newest hold of another question, or an earlier hold of this one.
  const where = { organizationId, traceId: id };
  const isOther = await ctx.platform.models.authzenHolds.exists(where);
  return isOther ? 'out_of_scope' : 'approval_expired';
}

async function isKnown(ctx: Context, id: string): Promise<boolean> {
  try {
    const { traceId, review } = await loadNamedTrace(ctx, id);
    return traceId === id && review?.status === 'approved';
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** Null: no text of the length of an id, or with a state, which this service never issues. */
function readId({ id, state = null }: JsonObject): string | null {
  return typeof id === 'string' && id.length <= ID_MAX && state === null ? id : null;
}
