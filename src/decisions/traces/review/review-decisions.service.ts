// Records reviewers' verdicts: each an entry of the chain, bound to the state that was seen; of two reviewers one wins.
import type { Json } from '@assay/json';
import type { Context } from '../../../platform/context.ts';
import { loadTextScrubber, loadAmendmentScrubber } from '../scrubbing/read-scrubbers.service.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { isLimitError } from '../../../ledger/spending/limit-error.ts';
import type { Decide } from '../../../ledger/amend/amendments.ts';
import type { ReviewItem, TraceDocument } from '../traces.model.ts';
import { computeActionDigest } from '../traces.view.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { toItemFilter } from './held.ts';
import { createDecidedError, endInTime } from './review-endings.ts';
import { isDecidable } from './review-time.ts';
import { requireExecutableEdits } from './review-edits.ts';
import {
  requireOtherReviewer,
  openSelfReviewCheck,
  createSelfReviewError,
  type SelfReviewCheck,
  toHeldSource,
} from './self-review/self-review.service.ts';
import type { Involvement } from '../../../domain/review/self-review.ts';
import {
  isPending,
  openSubject,
  prepareReviewAmendment,
  type VerdictWay,
  type VerdictWords,
} from './review-amendment.ts';
import type { BulkDecisionInput, DecisionInput, BulkDecision } from './review.schemas.ts';

type FoundItem = Pick<TraceDocument, 'traceId'> & { review: ReviewItem };
interface BulkChecks extends Pick<BulkDecisionInput, 'actionDigests'> {
  check: SelfReviewCheck;
  /** Gets the items that are for others to decide. */
  refused: Map<string, Involvement>;
}
type Verdict = Pick<DecisionInput, 'decision' | 'reason' | 'notes' | 'edits'>;

const openMutex = perInstance(() => new KeyedMutex());

/**
 * Decides one item; the verdict is final. `way`: how it was given, when it was not by the API.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` (decided already, or about another action), `REVIEW_ENDED`,
 * `EDITS_MASKED`, `FORBIDDEN` (others have to decide)
 */
export async function decideReview(
  ctx: Context,
  id: string,
  { way, ...input }: DecisionInput & { way?: VerdictWay },
): Promise<void> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const words = await scrubVerdict(platform, organizationId, input);
  const amend = prepareReviewAmendment(tenant, { ...words, way }, platform.draw16Bytes);
  await decideSerially(ctx, id, (traceId) =>
    endInTime(platform, { organizationId, traceId }, async (about) => {
      if (about.trace.deletedAt) throw new AppError('NOT_FOUND');
      if (!isPending(about.trace)) throw createDecidedError(about.trace.review?.status);
      const opened = await openSubject(platform.contents, about);
      await requireOtherReviewer(ctx, [toHeldSource(opened.trace)]);
      requireAction(opened.trace, input.actionDigest);
      await requireEditable(platform, opened.trace, input.edits);
      return amend(opened);
    }),
  );
}

/**
 * Decides the items that are still pending, have the actions looked at, are not for others to decide, and pass no
 * limit.
 * @throws AppError `NOT_FOUND` if none is, `FORBIDDEN` if all that are left are for others, `LIMIT_REACHED`
 */
export async function decideReviews(
  ctx: Context,
  { way, ...input }: BulkDecisionInput & { way?: VerdictWay },
): Promise<BulkDecision> {
  const { platform, tenant } = ctx;
  const pending = (await findItems(ctx, input.ids)).filter(isPending);
  const words = await scrubVerdict(platform, tenant.organizationId, input);
  const refused = new Map<string, Involvement>();
  const check = openSelfReviewCheck(ctx);
  const amend = prepareReviewAmendment(tenant, { ...words, way }, platform.draw16Bytes);
  const results = await platform.ledger.amendments.appendAll(
    tenant.organizationId,
    pending.map(({ traceId }) => traceId),
    amendIfPending(platform, amend, { ...input, check, refused }),
  );
  const ended = sortResults(pending, results);
  return toBulkDecision(input.ids.length, { ...ended, refused });
}

/** Sorts out what was decided, and what would pass a limit. @throws the first other failure, or that none was decided */
function sortResults(
  pending: readonly FoundItem[],
  results: readonly PromiseSettledResult<unknown>[],
): { decided: FoundItem[]; limited: FoundItem[] } {
  const decided = pending.filter((_, index) => isAppended(results[index]));
  const failed = results.filter((result) => result.status === 'rejected');
  const fault = failed.find(({ reason }) => !isLimitError(reason) || decided.length === 0);
  if (fault) throw fault.reason;
  const limited = pending.filter((_, index) => results[index]?.status === 'rejected');
  return { decided, limited };
}

async function findItems(
  { platform, tenant }: Context,
  ids: readonly string[],
): Promise<FoundItem[]> {
  const { organizationId } = tenant;
  const where = { ...createVisibilityFilter(tenant), organizationId, ...toItemFilter(ids) };
  return platform.models.traces.find(where, 'traceId review').lean<FoundItem[]>();
}

/**
 * Decides a pending item, one request at a time on this instance: otherwise a thousand verdicts on one item would
 * keep the organisation's chain busy with entries that must fail.
 */
const decideSerially = (
  ctx: Context,
  id: string,
  decideOne: (traceId: string) => Promise<unknown>,
): Promise<void> =>
  openMutex(ctx.platform).runExclusive(`${ctx.tenant.organizationId} ${id}`, async () => {
    const [found = null] = await findItems(ctx, [id]);
    const { traceId, review } = await findOr404(Promise.resolve(found));
    if (!isPending({ review })) throw createDecidedError(review.status);
    await decideOne(traceId);
  });

/** Removes personal data from the texts of a verdict. */
async function scrubVerdict(
  platform: Platform,
  organizationId: string,
  verdict: Verdict,
): Promise<VerdictWords> {
  const scrubber = await loadTextScrubber(platform, organizationId);
  const scrubText = (given: string | undefined) => given && scrubber.scrubString(given).text;
  const { decision, reason, notes, edits } = verdict;
  return { decision, reason: scrubText(reason), notes: scrubText(notes), edits };
}

/** @throws AppError `EDITS_MASKED`, `INVALID_OPERATION`, `VALIDATION_ERROR` */
async function requireEditable(
  platform: Platform,
  trace: TraceDocument,
  edits: Json | undefined,
): Promise<void> {
  if (edits === undefined) return;
  const scrubberOf = await loadAmendmentScrubber(platform, trace.organizationId.toHexString());
  requireExecutableEdits(trace, edits, scrubberOf(trace));
}

/** Leaves alone what is decided already, has another action than the one looked at, or is for others to decide. */
const amendIfPending =
  (
    platform: Platform,
    amend: ReturnType<typeof prepareReviewAmendment>,
    { actionDigests = {}, check, refused }: BulkChecks,
  ): Decide<TraceDocument> =>
  async (about) => {
    const id = about.trace.review?._id.toHexString() ?? '';
    refused.delete(id);
    if (!(await isDecidable(platform, about.trace))) return null;
    const opened = await openSubject(platform.contents, about);
    if (!isAbout(opened.trace, actionDigests[id])) return null;
    const [why] = (await check([toHeldSource(opened.trace)])).values();
    if (why) refused.set(id, why);
    return why ? null : amend(opened);
  };

type Refused = ReadonlyMap<string, Involvement>;

/** @throws AppError `FORBIDDEN`, `NOT_FOUND` */
function toBulkDecision(
  requested: number,
  {
    decided,
    refused,
    limited,
  }: { decided: readonly FoundItem[]; refused: Refused; limited: readonly FoundItem[] },
): BulkDecision {
  const [why] = refused.values();
  if (decided.length === 0 && why) throw createSelfReviewError(why);
  if (decided.length === 0)
    throw new AppError('NOT_FOUND', 'None of the items is pending: read the queue again');
  const ids = decided.map(toItemId);
  const others = [...refused.keys(), ...limited.map(toItemId)];
  return { requested, changed: ids.length, ids, ...(others.length > 0 && { refused: others }) };
}

const toItemId = ({ review }: FoundItem): string => review._id.toHexString();

const isAppended = (result: PromiseSettledResult<unknown> | undefined): boolean =>
  result?.status === 'fulfilled' && result.value !== null;

/** Whether the action in force is the one that was looked at; without a digest any is. */
const isAbout = (trace: TraceDocument, digest: string | undefined): boolean =>
  digest === undefined || digest === computeActionDigest(trace);

/** @throws AppError `INVALID_OPERATION` when the verdict is about another action than the one in force */
function requireAction(trace: TraceDocument, digest: string | undefined): void {
  if (!isAbout(trace, digest))
    throw new AppError(
      'INVALID_OPERATION',
      'The action changed since you read it (actionDigest): read the item again',
    );
}
