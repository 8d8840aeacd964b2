// Records reviewers' verdicts: each an entry of the chain, bound to the state that was seen; of two reviewers one wins.
import type { Json } from '@assay/json';
import type { Context } from '../../../platform/context.ts';
import { loadTextScrubber, loadAmendmentScrubber } from '../scrubbing/read-scrubbers.service.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { isLimitError } from '../../../ledger/spending/limit-error.ts';
import type { Decide, Subject } from '../../../ledger/amend/amendments.ts';
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
import {
  type JudgeApproval,
  type JudgedApproval,
  openApprovalJudge,
} from './approvals/judged-approval.service.ts';
import {
  createSignatureError,
  mustBeSigned,
  requestApproval,
  signApproval,
} from './signatures/signed-verdicts.service.ts';
import type {
  SignatureRequest,
  SignedStatement,
} from '../../../identity/auth/credentials/signatures.service.ts';
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
  words: VerdictWords;
  check: SelfReviewCheck;
  judge: JudgeApproval;
  /** Gets why an item is not decided, by its id. */
  reasons: Map<string, AppError>;
  /** Gets the ids of items that others have to approve as well. */
  votes: Set<string>;
}
type Verdict = Pick<DecisionInput, 'decision' | 'reason' | 'notes' | 'edits'>;

const openMutex = perInstance(() => new KeyedMutex());

/**
 * Decides one item; the verdict is final. `way`: how it was given, when it was not by the API.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` (decided already, or about another action), `REVIEW_ENDED`,
 * `EDITS_MASKED`, `FORBIDDEN` (others have to decide), `SIGNATURE_REQUIRED`, `SIGNATURE_INVALID`
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
  const given = { ...words, signature: input.signature };
  const judge = openApprovalJudge(ctx);
  await decideSerially(ctx, id, (traceId) =>
    endInTime(platform, { organizationId, traceId }, async (about) => {
      const opened = await openPending(ctx, about);
      requireAction(opened.trace, input.actionDigest);
      await requireEditable(platform, opened.trace, input.edits);
      return amend(opened, ...(await judgeSigned(ctx, opened, { judge, given })));
    }),
  );
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `REVIEW_ENDED`, `FORBIDDEN` */
async function openPending(
  ctx: Context,
  about: Subject<TraceDocument>,
): Promise<Subject<TraceDocument>> {
  if (about.trace.deletedAt) throw new AppError('NOT_FOUND');
  if (!isPending(about.trace)) throw createDecidedError(about.trace.review?.status);
  const opened = await openSubject(ctx.platform.contents, about);
  await requireOtherReviewer(ctx, [toHeldSource(opened.trace)]);
  return opened;
}

/** What an approval counts for, and its signature. @throws AppError as `decideReview` */
async function judgeSigned(
  ctx: Context,
  opened: Subject<TraceDocument>,
  { judge, given }: { judge: JudgeApproval; given: Parameters<typeof signApproval>[2]['given'] },
): Promise<[JudgedApproval | null, SignedStatement | undefined]> {
  const judged = await judge(opened, given);
  return [judged, await signApproval(ctx, opened, { given, judged })];
}

/**
 * What the caller signs to approve an item as it is now.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `REVIEW_ENDED`, `FORBIDDEN` (others have to decide)
 */
export async function describeApproval(
  ctx: Context,
  id: string,
  edits: Json | undefined,
): Promise<SignatureRequest> {
  const { platform, tenant } = ctx;
  const { traceId } = await findItem(ctx, id);
  const about = await platform.ledger.amendments.loadSubject(tenant.organizationId, traceId);
  const opened = await openPending(ctx, about);
  const judged = await openApprovalJudge(ctx)(opened, { decision: 'approve', edits });
  return requestApproval(ctx, opened, { edits, judged });
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
  const found = await findItems(ctx, input.ids);
  const pending = found.filter(isPending);
  const reasons = listEarlier(input.ids, found);
  const words = await scrubVerdict(platform, tenant.organizationId, input);
  const checks = {
    ...input,
    words,
    check: openSelfReviewCheck(ctx),
    judge: openApprovalJudge(ctx),
    reasons,
    votes: new Set<string>(),
  };
  const amend = prepareReviewAmendment(tenant, { ...words, way }, platform.draw16Bytes);
  const results = await platform.ledger.amendments.appendAll(
    tenant.organizationId,
    pending.map(({ traceId }) => traceId),
    amendIfPending(platform, amend, checks),
  );
  const decided = sortResults(pending, results, reasons);
  return toBulkDecision(input.ids, decided, checks);
}

/** Why items are not decided that do not wait now, or that are not there. */
function listEarlier(ids: readonly string[], found: readonly FoundItem[]): Map<string, AppError> {
  const known = new Map(found.map((item) => [toItemId(item), item.review.status]));
  return new Map(
    ids
      .filter((id) => known.get(id) !== 'pending')
      .map((id) => {
        const status = known.get(id);
        return [id, status ? createDecidedError(status) : new AppError('NOT_FOUND')];
      }),
  );
}

/** Notes what would pass a limit; returns what was decided. @throws the first other failure, or that none was decided */
function sortResults(
  pending: readonly FoundItem[],
  results: readonly PromiseSettledResult<unknown>[],
  reasons: Map<string, AppError>,
): FoundItem[] {
  const decided = pending.filter((_, index) => isAppended(results[index]));
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') continue;
    if (!isLimitError(result.reason) || decided.length === 0) throw result.reason;
    const item = pending[index];
    if (item) reasons.set(toItemId(item), result.reason as AppError);
  }
  return decided;
}

async function findItems(
  { platform, tenant }: Context,
  ids: readonly string[],
): Promise<FoundItem[]> {
  const { organizationId } = tenant;
  const where = { ...createVisibilityFilter(tenant), organizationId, ...toItemFilter(ids) };
  return platform.models.traces.find(where, 'traceId review').lean<FoundItem[]>();
}

/** @throws AppError `NOT_FOUND` */
async function findItem(ctx: Context, id: string): Promise<FoundItem> {
  const [found] = await findItems(ctx, [id]);
  if (!found) throw new AppError('NOT_FOUND');
  return found;
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
    const { traceId, review } = await findItem(ctx, id);
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
    checks: BulkChecks,
  ): Decide<TraceDocument> =>
  async (about) => {
    const id = about.trace.review?._id.toHexString() ?? '';
    const leave = (why: AppError): null => {
      reasons.set(id, why);
      return null;
    };
    const { actionDigests = {}, reasons, votes } = checks;
    reasons.delete(id);
    votes.delete(id);
    if (!(await isDecidable(platform, about.trace))) return leave(explainUndecidable(about.trace));
    const opened = await openSubject(platform.contents, about);
    if (!isAbout(opened.trace, actionDigests[id])) return leave(createOtherActionError());
    const judged = await judgeOne(opened, checks).catch(toRefusal);
    if (judged instanceof AppError) return leave(judged);
    if (judged && judged.quorum === null) votes.add(id);
    return amend(opened, judged);
  };

/** @throws AppError `FORBIDDEN`, `INVALID_OPERATION`, `SIGNATURE_REQUIRED` */
async function judgeOne(
  opened: Subject<TraceDocument>,
  { check, judge, words }: BulkChecks,
): ReturnType<JudgeApproval> {
  const [involved] = (await check([toHeldSource(opened.trace)])).values();
  if (involved) throw createSelfReviewError(involved);
  if (words.decision === 'approve' && mustBeSigned(opened.trace)) throw createSignatureError();
  return judge(opened, words);
}

/** @throws what is no AppError */
function toRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** Why no verdict is taken any more. */
function explainUndecidable({ deletedAt, review }: TraceDocument): AppError {
  if (deletedAt) return new AppError('NOT_FOUND');
  return createDecidedError(review?.status === 'pending' ? 'expired' : review?.status);
}

/** The codes of what others decide, or decide later. */
const REFUSED: readonly string[] = ['FORBIDDEN', 'LIMIT_REACHED', 'SIGNATURE_REQUIRED'];

/** @throws AppError `FORBIDDEN`, `NOT_FOUND` */
function toBulkDecision(
  given: readonly string[],
  appended: readonly FoundItem[],
  { reasons, votes }: Pick<BulkChecks, 'reasons' | 'votes'>,
): BulkDecision {
  if (appended.length === 0) throw explainNone([...reasons.values()]);
  const ids = appended.map(toItemId).filter((id) => !votes.has(id));
  const refused = [...reasons].filter(([, { code }]) => REFUSED.includes(code)).map(([id]) => id);
  const undecided = [...reasons].map(([id, why]) => toUndecided(id, why));
  return {
    requested: given.length,
    changed: ids.length,
    ids,
    ...(votes.size > 0 && { voted: [...votes] }),
    ...(refused.length > 0 && { refused }),
    ...(undecided.length > 0 && { undecided }),
  };
}

/** Why none of the items was decided. */
function explainNone(reasons: readonly AppError[]): AppError {
  const codes = ['FORBIDDEN', 'SIGNATURE_REQUIRED'];
  const elsewhere = reasons.find(({ code }) => codes.includes(code));
  return (
    elsewhere ?? new AppError('NOT_FOUND', 'None of the items is pending: read the queue again')
  );
}

const toUndecided = (id: string, { code, message, data }: AppError) => ({
  id,
  code,
  message,
  ...(data !== undefined && { data }),
});

const toItemId = ({ review }: FoundItem): string => review._id.toHexString();

const isAppended = (result: PromiseSettledResult<unknown> | undefined): boolean =>
  result?.status === 'fulfilled' && result.value !== null;

/** Whether the action in force is the one that was looked at; without a digest any is. */
const isAbout = (trace: TraceDocument, digest: string | undefined): boolean =>
  digest === undefined || digest === computeActionDigest(trace);

/** @throws AppError `INVALID_OPERATION` when the verdict is about another action than the one in force */
function requireAction(trace: TraceDocument, digest: string | undefined): void {
  if (!isAbout(trace, digest)) throw createOtherActionError();
}

const createOtherActionError = (): AppError =>
  new AppError(
    'INVALID_OPERATION',
    'The action changed since you read it (actionDigest): read the item again',
  );
