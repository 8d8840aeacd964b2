// Changes of many decisions at once; each is an entry of the chain (document 2, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { payloadDigest } from '../../../domain/record/chain.ts';
import {
  type Erased,
  erasurePayload,
  statusPayload,
  type TraceStatus,
} from '../../../domain/record/payload.ts';
import { AppError } from '../../../errors.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import { TRACE_STATUSES, type TraceDocument } from '../traces.model.ts';
import { bulkIds } from '../traces.schemas.ts';

type Deps = Pick<Platform, 'models' | 'ledger'>;

/** What stays of an erased decision: how it was judged and where it came from, nothing of its content. */
const KEPT = new Set(['evaluation', 'origin']);

export function createBulkService({ models, ledger: { amendments } }: Deps) {
  /** The decisions that the tenant sees, by id. */
  async function find(
    { organizationId, workspaceId }: Tenant,
    ids: readonly string[],
  ): Promise<Map<string, string>> {
    const where = { organizationId, deletedAt: null, ...(workspaceId !== null && { workspaceId }) };
    const found = await models.traces
      .find({ ...where, _id: { $in: ids } }, 'traceId')
      .lean<TraceDocument[]>();
    return new Map(found.map(({ _id, traceId }) => [_id.toHexString(), traceId]));
  }

  /** One fact about each decision that is still there; the first that cannot be appended is thrown after all were tried. */
  async function changeAll(
    tenant: Tenant,
    ids: unknown,
    factOf: (
      subject: Subject,
      trace: TraceDocument,
    ) => Amendment | null | Promise<Amendment | null>,
  ) {
    const wanted = bulkIds.safeParse(ids);
    if (!wanted.success) throw new AppError('INVALID_IDS');
    const found = await find(tenant, wanted.data);
    const results = await amendments.appendAll(
      tenant.organizationId,
      [...found.values()],
      (subject) => {
        const trace = subject.trace as unknown as TraceDocument;
        return trace.deletedAt ? null : factOf(subject, trace);
      },
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    const changed = results.filter(
      (result) => result.status === 'fulfilled' && result.value !== null,
    ).length;
    return {
      requested: wanted.data.length,
      changed,
      notFound: wanted.data.filter((id) => !found.has(id)),
    };
  }

  /** Everything of its content that is still kept, in the decision and in the corrections of it. */
  async function erasable(trace: TraceDocument): Promise<Erased[]> {
    const { organizationId, traceId } = trace;
    const corrections = await models.ledger
      .find({ organizationId, traceId, kind: 'correction' }, 'sequence sealed')
      .lean<TraceDocument[]>();
    const held = ({ sequence, sealed }: TraceDocument): Erased => ({
      sequence,
      names: Object.keys(sealed).filter((name) => sealed[name] && !KEPT.has(name)),
    });
    return [trace, ...corrections].map(held).filter(({ names }) => names.length > 0);
  }

  return {
    /** @throws AppError `INVALID_IDS`, `INVALID_STATUS`, `CONFLICT` */
    async setStatus(tenant: Tenant, ids: unknown, wanted: unknown) {
      const status = TRACE_STATUSES.find((known) => known === wanted);
      if (status === undefined)
        throw new AppError('INVALID_STATUS', `One of ${TRACE_STATUSES.join(', ')}`);
      return changeAll(tenant, ids, (subject, trace) =>
        trace.status === status ? null : statusFact(about(tenant, subject, trace), status),
      );
    },

    /** Empties the payload and hides the decision; its entries stay. @throws AppError `INVALID_IDS`, `CONFLICT` */
    async remove(tenant: Tenant, ids: unknown, cause: 'bulk-delete' | 'purge' = 'bulk-delete') {
      return changeAll(tenant, ids, async (subject, trace) =>
        erasureFact(about(tenant, subject, trace), cause, await erasable(trace)),
      );
    },
  };
}
export type BulkService = ReturnType<typeof createBulkService>;

function about(
  { organizationId, actor }: Tenant,
  { subject, after }: Subject,
  trace: TraceDocument,
) {
  const { workspaceId, traceId } = trace;
  return { organizationId, workspaceId, actor, traceId, subject, after, commitments: {} };
}
type About = ReturnType<typeof about>;

function statusFact(what: About, status: TraceStatus): Amendment {
  const view = statusPayload({ ...what, set: { status, humanOverride: null } });
  return { kind: 'status', view, payloadDigest: payloadDigest(view), fields: {} };
}

function erasureFact(
  what: About,
  cause: 'bulk-delete' | 'purge',
  erased: readonly Erased[],
): Amendment {
  const view = erasurePayload({ ...what, cause, erased });
  return { kind: 'erasure', view, payloadDigest: payloadDigest(view), fields: {} };
}
