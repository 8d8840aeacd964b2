// Records feedback: a verdict on a decision, given outside Assay, as one entry of the chain (document 2, section 4.6).
import type { Platform } from '../../../composition/platform.ts';
import type { Key, Tenant } from '../../../domain/identity/tenant.ts';
import { sealValues } from '../../../domain/record/commitments.ts';
import { inTurns } from '../../../domain/others-turn.ts';
import type { Json } from '../../../domain/record/json.ts';
import { type Change, correctionPayload } from '../../../domain/record/payload.ts';
import { CAPABILITY, isByPerson } from '../../../domain/record/persons-verdict.ts';
import type { Scrubber } from '../../../domain/scrub/scrubber.ts';
import { Work, workLimits } from '../../../domain/work.ts';
import { AppError } from '../../../errors.ts';
import { amendmentBase, amendmentOf } from '../../../ledger/amend/amendment-base.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import type { Position } from '../../../ledger/entry.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { ReadScrubbers } from '../read-scrubbers.ts';
import { openedSubject } from '../review/review-amendment.ts';
import type { TraceDocument } from '../traces.model.ts';
import { payloadText } from '../traces.view.ts';
import { visibleTo } from '../../../domain/identity/visible-decisions.ts';
import {
  type Approval,
  approvedMetadata,
  correctedOutput,
  type Correction,
  isApprovedBy,
  isCorrectedBy,
  markedRationale,
} from './corrected-values.ts';
import type { Feedback } from './feedback.schemas.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'ledger' | 'random16' | 'clock'> & {
  scrubbers: ReadScrubbers;
};

export interface FeedbackOutcome {
  traceId: string;
  action: Feedback['action'];
  status: 'success';
  humanOverride: boolean;
  repeated: boolean;
  counted: boolean;
  claimedBy: string | null;
  hashChain: Position;
}

interface FeedbackCaller {
  tenant: Tenant;
  key: Key;
}

/** The feedback as it is recorded. */
interface Recorded extends Correction, Approval {
  action: Feedback['action'];
  /** Whether the caller's feedback counts as a person's verdict. */
  counted: boolean;
}

const OBJECT_ID = /^[0-9a-f]{24}$/i;

export function createFeedbackService(deps: Deps) {
  const { models, contents, ledger, random16, clock, scrubbers } = deps;

  async function traceIdOf(tenant: Tenant, named: string): Promise<string> {
    const { organizationId } = tenant;
    const name = OBJECT_ID.test(named) ? { _id: named } : { traceId: named };
    const where = { ...visibleTo(tenant), organizationId, ...name };
    const query = models.traces.findOne(where, 'traceId').lean<{ traceId: string }>();
    return (await findOr404(query)).traceId;
  }

  /** Whether the newest feedback counts as a person's; if not, the same by a key that counts is recorded again. */
  async function isCounted(organizationId: string, traceId: string): Promise<boolean> {
    const newest = await models.ledger
      .findOne({ organizationId, traceId, kind: 'correction' }, 'view')
      .sort({ sequence: -1 })
      .lean<{ view: string }>();
    return newest !== null && isByPerson(newest.view);
  }

  /** Null if the same feedback is recorded already and counts as much. */
  async function amendUnlessKnown(
    tenant: Tenant,
    about: Subject<TraceDocument>,
    recorded: Recorded,
  ): Promise<Amendment | null> {
    const { organizationId } = tenant;
    const isKnown =
      isRepeated(about.trace, recorded) &&
      (!recorded.counted || (await isCounted(organizationId, about.trace.traceId)));
    if (isKnown) return null;
    const { sealed, commitments } = sealValues(valuesOf(about.trace, recorded), random16);
    const { action } = recorded;
    const base = amendmentBase(tenant, about);
    const payload = correctionPayload({ ...base, commitments, action, set: changeBy(recorded) });
    return amendmentOf('correction', payload, { sealed });
  }

  /** Everything that the correction commits to. */
  function valuesOf(trace: TraceDocument, recorded: Recorded): Record<string, Json> {
    const { action, feedbackNotes, correctedDecision, claimedBy, counted } = recorded;
    const said = {
      feedback: { action, feedbackNotes, correctedDecision, claimedBy },
      ...(counted && { [CAPABILITY]: 'feedback' }),
    };
    const metadata = valueOf(trace, 'metadata');
    if (action === 'approve')
      return { ...said, metadata: approvedMetadata(metadata, recorded, clock.now()) };
    const ingested = trace.sealed['rationale']?.text;
    const rationale = ingested === undefined ? null : (JSON.parse(ingested) as string);
    return {
      ...said,
      outputDecision: correctedOutput(valueOf(trace, 'outputDecision'), recorded),
      rationale: markedRationale(rationale, recorded),
      ...(claimedBy !== null && { metadata: approvedMetadata(metadata, recorded, null) }),
    };
  }

  return {
    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` when its content was erased */
    async ingest(caller: FeedbackCaller, feedback: Feedback): Promise<FeedbackOutcome> {
      const { organizationId } = caller.tenant;
      const traceId = await traceIdOf(caller.tenant, feedback.traceId);
      const scrubberOf = await scrubbers.amendingFor(organizationId);
      let newest: Position | undefined;
      const entry = await ledger.amendments.append(organizationId, traceId, async (about) => {
        requireContent(about.trace);
        newest = about.after;
        const given = await scrubbed(feedback, scrubberOf(about.trace));
        const recorded = { ...given, counted: caller.key.isForFeedback };
        return amendUnlessKnown(caller.tenant, await openedSubject(contents, about), recorded);
      });
      return outcomeOf(caller, feedback, {
        traceId,
        repeated: !entry,
        hashChain: entry ?? newest ?? { sequence: 0, chainHash: '' },
      });
    },
  };
}
export type FeedbackService = ReturnType<typeof createFeedbackService>;

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
function requireContent({ deletedAt, erasedAt }: TraceDocument): void {
  if (deletedAt) throw new AppError('NOT_FOUND');
  if (erasedAt) throw new AppError('INVALID_OPERATION', 'The content of the decision was erased');
}

function outcomeOf(
  { key }: FeedbackCaller,
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

function changeBy({ action }: Recorded): Change {
  return { status: 'success', humanOverride: action === 'correct' };
}

/** Scrubs the feedback by the rules that the decision is stored under. */
async function scrubbed(
  feedback: Feedback,
  scrubber: Scrubber,
): Promise<Omit<Recorded, 'counted'>> {
  const work = new Work(workLimits.scrubbing);
  const { value: correctedDecision } = await inTurns(
    scrubber.parts(feedback.correctedDecision, work),
  );
  const text = (given: string | null) => given && scrubber.text(given).text;
  return {
    action: feedback.action,
    correctedDecision,
    feedbackNotes: text(feedback.feedbackNotes),
    claimedBy: text(feedback.userEmail),
  };
}

/** Whether the feedback would change nothing in the decision. */
function isRepeated(trace: TraceDocument, recorded: Recorded): boolean {
  const { status, humanOverride } = changeBy(recorded);
  if (trace.status !== status || trace.humanOverride !== humanOverride) return false;
  const changed = (name: string): Json => {
    const text = trace.changed?.[name];
    return typeof text === 'string' ? (JSON.parse(text) as Json) : null;
  };
  if (recorded.action === 'approve') return isApprovedBy(changed('metadata'), recorded);
  return isCorrectedBy(changed('outputDecision'), recorded);
}

/** The value in force. */
function valueOf(trace: TraceDocument, name: string): Json {
  const text = payloadText(trace, name);
  return text === null ? null : (JSON.parse(text) as Json);
}
