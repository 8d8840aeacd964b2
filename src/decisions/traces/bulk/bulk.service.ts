// Changes of many decisions at once; each is an entry of the chain (document 2, section 4.1).
import { WORDED_AMENDMENTS } from '../../../domain/record/trace-state.ts';
import type { Context } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { RETAINED } from '../../../domain/record/commitments.ts';
import {
  type ErasedNames,
  createErasurePayload,
  createStatusPayload,
  type TraceStatus,
} from '../../../domain/record/payload.ts';
import {
  type AmendmentBase,
  buildAmendmentBase,
  buildAmendment,
} from '../../../ledger/amend/amendment-base.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { BulkResult } from '../traces.schemas.ts';

type DeletionCause = 'bulk-delete' | 'purge';
type ErasureCause = DeletionCause | 'request';

/** `ids`: distinct. @throws AppError `CONFLICT` */
export async function setStatuses(
  ctx: Context,
  ids: readonly string[],
  status: TraceStatus,
): Promise<BulkResult> {
  return appendAmendments(ctx, ids, (subject) =>
    subject.trace.status === status
      ? null
      : buildStatusAmendment(buildAmendmentBase(ctx.tenant, subject), status),
  );
}

/** Empties the payload and hides the decision; its entries stay. `ids`: distinct. @throws AppError `CONFLICT` */
export async function removeDecisions(
  ctx: Context,
  ids: readonly string[],
  cause: DeletionCause = 'bulk-delete',
): Promise<BulkResult> {
  return appendAmendments(ctx, ids, async (subject) =>
    buildErasureAmendment(
      buildAmendmentBase(ctx.tenant, subject),
      cause,
      await findErasable(ctx.platform, subject.trace),
    ),
  );
}

/** Erases decisions on request, by their `traceId`s; skips deleted ones. @throws AppError `CONFLICT` */
export async function eraseDecisions(
  { platform, tenant }: Context,
  traceIds: readonly string[],
): Promise<void> {
  const decide = async (subject: Subject<TraceDocument>): Promise<Amendment | null> =>
    subject.trace.deletedAt
      ? null
      : buildErasureAmendment(
          buildAmendmentBase(tenant, subject),
          'request',
          await findErasable(platform, subject.trace),
        );
  const results = await platform.ledger.amendments.appendAll(
    tenant.organizationId,
    traceIds,
    decide,
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Maps object ids to `traceId`s, for the decisions visible to the tenant. */
async function findTraceIds(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const where = { organizationId, deletedAt: null, ...(workspaceId !== null && { workspaceId }) };
  const found = await platform.models.traces
    .find({ ...where, _id: { $in: ids } }, 'traceId')
    .lean<TraceDocument[]>();
  return new Map(found.map(({ _id, traceId }) => [_id.toHexString(), traceId]));
}

/** Appends one amendment to each decision that still exists; tries all, then throws the first failure. */
async function appendAmendments(
  ctx: Context,
  ids: readonly string[],
  decide: (subject: Subject<TraceDocument>) => Amendment | null | Promise<Amendment | null>,
): Promise<BulkResult> {
  const found = await findTraceIds(ctx, ids);
  const results = await ctx.platform.ledger.amendments.appendAll(
    ctx.tenant.organizationId,
    [...found.values()],
    (subject) => (subject.trace.deletedAt ? null : decide(subject)),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const changed = results.filter(
    (result) => result.status === 'fulfilled' && result.value !== null,
  );
  return {
    requested: ids.length,
    changed: changed.length,
    notFound: ids.filter((id) => !found.has(id)),
  };
}

/** Names the content that is still stored in the decision and in the verdicts on it. */
async function findErasable(platform: Platform, trace: TraceDocument): Promise<ErasedNames[]> {
  const { organizationId, traceId } = trace;
  const verdicts = await platform.models.ledger
    .find({ organizationId, traceId, kind: { $in: WORDED_AMENDMENTS } }, 'sequence sealed')
    .lean<TraceDocument[]>();
  return [trace, ...verdicts].map(listContentNames).filter(({ names }) => names.length > 0);
}

/** The names of the content that an entry still holds. */
function listContentNames({ sequence, sealed }: TraceDocument): ErasedNames {
  const names = Object.keys(sealed).filter((name) => sealed[name] && !RETAINED.has(name));
  return { sequence, names };
}

function buildStatusAmendment(base: AmendmentBase, status: TraceStatus): Amendment {
  const view = createStatusPayload({ ...base, set: { status, humanOverride: null } });
  return buildAmendment('status', view);
}

function buildErasureAmendment(
  base: AmendmentBase,
  cause: ErasureCause,
  erased: readonly ErasedNames[],
): Amendment {
  const view = createErasurePayload({ ...base, cause, erased });
  return buildAmendment('erasure', view);
}
