// Records feedback: a verdict on a decision, given outside Assay, as one entry of the chain (document 2, section 4.6).
import type { Json } from '@assay/json';
import type { Scrubber } from '@assay/scrub';
import type { Context, KeyContext } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Key } from '../../../domain/identity/tenant.ts';
import { commitValues } from '../../../domain/record/commitments.ts';
import { type Change, createCorrectionPayload } from '../../../domain/record/payload.ts';
import { CAPABILITY, isByPerson } from '../../../domain/record/persons-verdict.ts';
import { AppError } from '../../../errors.ts';
import { buildAmendmentBase, buildAmendment } from '../../../ledger/amend/amendment-base.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import type { Position } from '../../../ledger/entry.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { loadAmendmentScrubber } from '../scrubbing/read-scrubbers.service.ts';
import { openSubject } from '../review/review-amendment.ts';
import { toNameFilter } from '../trace-names.ts';
import type { TraceDocument } from '../traces.model.ts';
import { readPayloadText } from '../traces.view.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import {
  type Approval,
  toApprovedMetadata,
  toCorrectedOutput,
  type Correction,
  hasApproval,
  hasCorrection,
  markRationale,
} from './corrected-values.ts';
import type { Feedback, FeedbackOutcome } from './feedback.schemas.ts';

/** The feedback as it is recorded. */
interface RecordedFeedback extends Correction, Approval {
  action: Feedback['action'];
  /** Whether the caller's feedback counts as a person's verdict. */
  counted: boolean;
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` when its content was erased */
export async function recordFeedback(
  ctx: KeyContext,
  feedback: Feedback,
): Promise<FeedbackOutcome> {
  const { platform, tenant, key } = ctx;
  const { organizationId } = tenant;
  const traceId = await findTraceId(ctx, feedback.traceId);
  const scrubberOf = await loadAmendmentScrubber(platform, organizationId);
  let newest: Position | undefined;
  const entry = await platform.ledger.amendments.append(organizationId, traceId, async (about) => {
    requireContent(about.trace);
    newest = about.after;
    const given = scrubFeedback(feedback, scrubberOf(about.trace));
    const recorded = { ...given, counted: key.isForFeedback };
    return buildCorrectionUnlessKnown(ctx, await openSubject(platform.contents, about), recorded);
  });
  return toOutcome(key, feedback, {
    traceId,
    repeated: !entry,
    hashChain: entry ?? newest ?? { sequence: 0, chainHash: '' },
  });
}

async function findTraceId({ platform, tenant }: Context, traceRef: string): Promise<string> {
  const { organizationId } = tenant;
  const name = toNameFilter(traceRef);
  const where = { ...createVisibilityFilter(tenant), organizationId, ...name };
  const query = platform.models.traces.findOne(where, 'traceId').lean<{ traceId: string }>();
  return (await findOr404(query)).traceId;
}

/** Whether the newest feedback counts as a person's; if not, the same by a key that counts is recorded again. */
async function isCounted(
  platform: Platform,
  organizationId: string,
  traceId: string,
): Promise<boolean> {
  const newest = await platform.models.ledger
    .findOne({ organizationId, traceId, kind: 'correction' }, 'view')
    .sort({ sequence: -1 })
    .lean<{ view: string }>();
  return newest !== null && isByPerson(newest.view);
}

/** Null if the same feedback is recorded already and counts as much. */
async function buildCorrectionUnlessKnown(
  { platform, tenant }: Context,
  about: Subject<TraceDocument>,
  recorded: RecordedFeedback,
): Promise<Amendment | null> {
  const { organizationId } = tenant;
  const isKnown =
    isRepeated(about.trace, recorded) &&
    (!recorded.counted || (await isCounted(platform, organizationId, about.trace.traceId)));
  if (isKnown) return null;
  const { sealed, commitments } = commitValues(
    collectValues(platform, about.trace, recorded),
    platform.draw16Bytes,
  );
  const { action } = recorded;
  const base = buildAmendmentBase(tenant, about);
  const payload = createCorrectionPayload({
    ...base,
    commitments,
    action,
    set: toChange(recorded),
  });
  return buildAmendment('correction', payload, { sealed });
}

/** Everything that the correction commits to. */
function collectValues(
  platform: Platform,
  trace: TraceDocument,
  recorded: RecordedFeedback,
): Record<string, Json> {
  const { action, feedbackNotes, correctedDecision, claimedBy, counted } = recorded;
  const words = {
    feedback: { action, feedbackNotes, correctedDecision, claimedBy },
    ...(counted && { [CAPABILITY]: 'feedback' }),
  };
  const metadata = readValue(trace, 'metadata');
  if (action === 'approve')
    return { ...words, metadata: toApprovedMetadata(metadata, recorded, platform.clock.now()) };
  const ingested = trace.sealed['rationale']?.text;
  const rationale = ingested === undefined ? null : (JSON.parse(ingested) as string);
  return {
    ...words,
    outputDecision: toCorrectedOutput(readValue(trace, 'outputDecision'), recorded),
    rationale: markRationale(rationale, recorded),
    ...(claimedBy !== null && { metadata: toApprovedMetadata(metadata, recorded, null) }),
  };
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
function requireContent({ deletedAt, erasedAt }: TraceDocument): void {
  if (deletedAt) throw new AppError('NOT_FOUND');
  if (erasedAt) throw new AppError('INVALID_OPERATION', 'The content of the decision was erased');
}

function toOutcome(
  key: Key,
  { action, userEmail: claimedBy }: Feedback,
  {
    traceId,
    repeated,
    hashChain: { sequence, chainHash },
  }: Pick<FeedbackOutcome, 'traceId' | 'repeated' | 'hashChain'>,
): FeedbackOutcome {
  return {
    traceId,
    action,
    status: 'success',
    humanOverride: action === 'correct',
    repeated,
    counted: key.isForFeedback,
    claimedBy,
    hashChain: { sequence, chainHash },
  };
}

function toChange({ action }: RecordedFeedback): Change {
  return { status: 'success', humanOverride: action === 'correct' };
}

/** Scrubs the feedback by the rules that the decision is stored under. */
function scrubFeedback(feedback: Feedback, scrubber: Scrubber): Omit<RecordedFeedback, 'counted'> {
  const { value: correctedDecision } = scrubber.scrubValue(feedback.correctedDecision);
  const scrubText = (given: string | null) => given && scrubber.scrubString(given).text;
  return {
    action: feedback.action,
    correctedDecision,
    feedbackNotes: scrubText(feedback.feedbackNotes),
    claimedBy: scrubText(feedback.userEmail),
  };
}

/** Whether the feedback would change nothing in the decision. */
function isRepeated(trace: TraceDocument, recorded: RecordedFeedback): boolean {
  const { status, humanOverride } = toChange(recorded);
  if (trace.status !== status || trace.humanOverride !== humanOverride) return false;
  const readChanged = (name: string): Json => {
    const text = trace.changed?.[name];
    return typeof text === 'string' ? (JSON.parse(text) as Json) : null;
  };
  if (recorded.action === 'approve') return hasApproval(readChanged('metadata'), recorded);
  return hasCorrection(readChanged('outputDecision'), recorded);
}

/** The value in force. */
function readValue(trace: TraceDocument, name: string): Json {
  const text = readPayloadText(trace, name);
  return text === null ? null : (JSON.parse(text) as Json);
}
