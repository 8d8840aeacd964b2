// Records reviewers' verdicts: each an entry of the chain, bound to the state that was seen; of two reviewers one wins.
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { ReadScrubbers } from '../read-scrubbers.ts';
import type { ReviewItem, TraceDocument } from '../traces.model.ts';
import { digestInForce } from '../traces.view.ts';
import { visibleTo } from '../../../domain/identity/visible-decisions.ts';
import { ofItems } from './held.ts';
import {
  isPending,
  openedSubject,
  reviewAmendmentBy,
  type VerdictWords,
} from './review-amendment.ts';
import type { BulkDecisionInput, DecisionInput } from './review.schemas.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'ledger' | 'random16'> & {
  scrubbers: ReadScrubbers;
};
type Found = Pick<TraceDocument, 'traceId'> & { review: ReviewItem };
type Verdict = Pick<DecisionInput, 'decision' | 'reason' | 'notes'>;

export interface BulkDecision {
  /** Distinct ids. */
  requested: number;
  changed: number;
  /** Ids of the items that were decided. */
  ids: string[];
}

export function createReviewDecisionService(deps: Deps) {
  const { models, contents, ledger, random16, scrubbers } = deps;

  /** Verdicts in progress, by item id. */
  const underWay = new Map<string, Promise<unknown>>();

  async function find(tenant: Tenant, ids: readonly string[]): Promise<Found[]> {
    const { organizationId } = tenant;
    const where = { ...visibleTo(tenant), organizationId, ...ofItems(ids) };
    return models.traces.find(where, 'traceId review').lean<Found[]>();
  }

  /**
   * Decides a pending item, one request at a time on this instance: otherwise a thousand verdicts on one item would
   * keep the organisation's chain busy with entries that must fail.
   */
  async function inTurn(
    tenant: Tenant,
    id: string,
    decideOne: (traceId: string) => Promise<unknown>,
  ): Promise<void> {
    for (;;) {
      const [found = null] = await find(tenant, [id]);
      const { traceId, review } = await findOr404(Promise.resolve(found));
      if (!isPending({ review })) throw decidedAlready();
      const other = underWay.get(id);
      if (!other) {
        const verdict = decideOne(traceId).finally(() => underWay.delete(id));
        underWay.set(id, verdict);
        return void (await verdict);
      }
      await other.catch(() => undefined);
    }
  }

  /** Removes personal data from the texts of a verdict. */
  async function scrubbed(organizationId: string, verdict: Verdict): Promise<VerdictWords> {
    const scrubber = await scrubbers.writingFor(organizationId);
    const text = (given: string | undefined) => given && scrubber.text(given).text;
    const { decision, reason, notes } = verdict;
    return { decision, reason: text(reason), notes: text(notes) };
  }

  return {
    /**
     * Decides one item; the verdict is final.
     * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` (decided already, or about another action)
     */
    async decide(tenant: Tenant, id: string, input: DecisionInput): Promise<void> {
      const { organizationId } = tenant;
      const words = await scrubbed(organizationId, input);
      const amend = reviewAmendmentBy(tenant, words, random16);
      await inTurn(tenant, id, (traceId) =>
        ledger.amendments.append(organizationId, traceId, async (about) => {
          if (about.trace.deletedAt) throw new AppError('NOT_FOUND');
          if (!isPending(about.trace)) throw decidedAlready();
          const opened = await openedSubject(contents, about);
          requireAction(opened.trace, input.actionDigest);
          return amend(opened);
        }),
      );
    },

    /** Decides the items that are still pending. @throws AppError `NOT_FOUND` if none is */
    async decideAll(tenant: Tenant, input: BulkDecisionInput): Promise<BulkDecision> {
      const pending = (await find(tenant, input.ids)).filter(isPending);
      const words = await scrubbed(tenant.organizationId, input);
      const amend = reviewAmendmentBy(tenant, words, random16);
      const results = await ledger.amendments.appendAll(
        tenant.organizationId,
        pending.map(({ traceId }) => traceId),
        async (about) =>
          about.trace.deletedAt || !isPending(about.trace)
            ? null
            : amend(await openedSubject(contents, about)),
      );
      const decided = pending.filter((_, index) => {
        const result = results[index];
        return result?.status === 'fulfilled' && result.value !== null;
      });
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      if (decided.length === 0) throw new AppError('NOT_FOUND', 'None of the items is pending');
      const ids = decided.map(({ review }) => review._id.toHexString());
      return { requested: input.ids.length, changed: ids.length, ids };
    },
  };
}
export type ReviewDecisionService = ReturnType<typeof createReviewDecisionService>;

function decidedAlready(): AppError {
  return new AppError('INVALID_OPERATION', 'The item has been decided');
}

/** @throws AppError `INVALID_OPERATION` when the verdict is about another action than the one in force */
function requireAction(trace: TraceDocument, digest: string | undefined): void {
  if (digest !== undefined && digest !== digestInForce(trace))
    throw new AppError('INVALID_OPERATION', 'The item has another action than the one looked at');
}
