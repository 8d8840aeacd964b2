// Builds the entries that end a review: verdict, lapse and withdrawal, each bound to the action in force at that moment.
import type { Json, JsonObject } from '@assay/json';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { commitValues } from '../../../domain/record/commitments.ts';
import {
  type Change,
  createReviewPayload,
  createVotePayload,
} from '../../../domain/record/payload.ts';
import { RAW_ACTION } from '../../../domain/actions/proposed-action.ts';
import { LAPSED, WITHDRAWN } from '../../../domain/review/review-end.ts';
import { buildAmendmentBase, buildAmendment } from '../../../ledger/amend/amendment-base.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import type { Contents } from '../../../ledger/contents/contents.ts';
import type { TraceDocument } from '../traces.model.ts';
import {
  type DecisionLimit,
  listBinding,
  listReservations,
} from '../../../domain/budgets/spending.ts';
import { readCommittedState } from '../../../domain/record/committed-state.ts';
import { findAct } from '../../../domain/halt/act.ts';
import { continueSession, toStateValue } from '../sessions/judged-session.ts';
import { reviseLimits } from '../limits/revised-limits.ts';
import { computeActionDigest } from '../traces.view.ts';
import type { SignedStatement } from '../../../identity/auth/credentials/signatures.service.ts';
import type { JudgedApproval } from './approvals/judged-approval.service.ts';

/** A verdict whose texts are scrubbed. */
export interface VerdictWords {
  decision: 'approve' | 'reject';
  reason: string | undefined;
  notes: string | undefined;
  /** A merge patch of the action in force. */
  edits?: Json | undefined;
  /** How it was given, when it was not by the API. */
  way?: VerdictWay | undefined;
}

/** By the link of a mail or of a chat's card, signed in or by the token alone; or in the console. */
export type VerdictWay = { via: 'link' | 'card'; proof: 'sign-in' | 'token' } | { via: 'console' };

type Author = Pick<Tenant, 'organizationId' | 'actor'>;

interface End {
  decision: VerdictWords['decision'];
  set: Change;
  /** Committed besides the digest of the action. */
  values: Readonly<Record<string, Json | undefined>>;
}

/** How each verdict changes the decision. */
const CHANGES: Readonly<Record<VerdictWords['decision'], Change>> = {
  approve: { status: 'approved', humanOverride: false },
  reject: { status: 'blocked', humanOverride: true },
};
/** No person overrode the policy. */
const UNDECIDED: Change = { status: 'blocked', humanOverride: null };

/** An edited approval is the person's word, not the agent's. */
const EDITED: Change = { status: 'approved', humanOverride: true };

/**
 * `judged`: what an approval is where several people have to approve; null: the verdict of one person ends the review.
 * `signed`: the signature of that person.
 */
export function prepareReviewAmendment(
  by: Author,
  { decision, reason, notes, edits, way }: VerdictWords,
  random16: () => Buffer,
) {
  const set = edits === undefined ? CHANGES[decision] : EDITED;
  const words = { reason, notes, edits, ...way };
  /** Expects a decision whose values are decrypted. */
  return (
    about: Subject<TraceDocument>,
    judged: JudgedApproval | null = null,
    signed: SignedStatement | undefined = undefined,
  ): Amendment => {
    const counted = judged && { voter: judged.voter, quorum: judged.quorum ?? undefined };
    const values = { ...words, ...counted, ...signed };
    if (judged && judged.quorum === null) return addVote(by, about, { values, random16 });
    return endReview(by, about, { end: { decision, set, values }, random16 });
  };
}

/** One approval of several: it repeats no commitment to the raw action, so it approves nothing by itself. */
function addVote(
  by: Author,
  about: Subject<TraceDocument>,
  { values, random16 }: Pick<End, 'values'> & { random16: () => Buffer },
): Amendment {
  const actionDigest = computeActionDigest(about.trace);
  const { sealed, commitments } = commitValues({ ...values, actionDigest }, random16);
  const payload = createVotePayload({
    ...buildAmendmentBase(by, about),
    commitments,
    reviewId: about.trace.review?._id.toHexString() ?? '',
    decision: 'approve',
  });
  return buildAmendment('vote', payload, { sealed });
}

/** Ends a review whose time is over, in the name of the service. */
export function prepareExpiryAmendment(
  organizationId: string,
  random16: () => Buffer,
  /** What it ends as; absent: as the decision says. */
  as?: 'reject',
) {
  const by = { organizationId, actor: { kind: 'system', id: null } } as const;
  /** Expects a decision whose values are decrypted. */
  return (about: Subject<TraceDocument>): Amendment => {
    const { expiresAt, onExpiry = 'reject' } = about.trace.review ?? {};
    const decision = as ?? onExpiry;
    const set = decision === 'approve' ? CHANGES.approve : UNDECIDED;
    const end = { decision, set, values: { [LAPSED]: expiresAt?.toISOString() } };
    return endReview(by, about, { end, random16 });
  };
}

export function prepareWithdrawalAmendment(
  by: Author,
  reason: string | undefined,
  random16: () => Buffer,
) {
  const values = { [WITHDRAWN]: true, reason };
  const end: End = { decision: 'reject', set: UNDECIDED, values };
  /** Expects a decision whose values are decrypted. */
  return (about: Subject<TraceDocument>): Amendment => endReview(by, about, { end, random16 });
}

function endReview(
  by: Author,
  about: Subject<TraceDocument>,
  { end, random16 }: { end: End; random16: () => Buffer },
): Amendment {
  const { decision, set, values } = end;
  const actionDigest = computeActionDigest(about.trace);
  const { state, ...registers } =
    decision === 'approve' ? letAct(by, about.trace, values['edits']) : NOTHING;
  const { sealed, commitments } = commitValues({ ...values, actionDigest, state }, random16);
  const binding = findBinding(about.trace);
  const payload = createReviewPayload({
    ...buildAmendmentBase(by, about),
    commitments: binding === null ? commitments : { ...commitments, [RAW_ACTION]: binding },
    reviewId: about.trace.review?._id.toHexString() ?? '',
    decision,
    set,
  });
  const act = findAct({ kind: 'review', decision, actor: by.actor }, about.trace);
  return {
    ...buildAmendment('review', payload, { sealed }),
    ...(act && { act }),
    ...registers,
  };
}

/** What an approval commits to, and makes, of limits and session. */
interface Registered extends Pick<Amendment, 'spends' | 'session'> {
  state?: JsonObject | undefined;
}

const NOTHING: Registered = {};

/** What an approval lets happen counts. */
function letAct(by: Author, trace: TraceDocument, edits: Json | undefined): Registered {
  const judged = readCommittedState(trace.sealed);
  const reserved = judged.limits && reserve(by, reviseLimits(trace, judged.limits, edits));
  const continued = continueSession(trace, judged, { kind: 'review', decision: 'approve' });
  return {
    state: toStateValue({ ...reserved?.state, ...continued?.state }),
    ...(reserved && { spends: reserved.spends }),
    ...(continued && { session: continued.session }),
  };
}

/** What an approval reserves of the limits of what it approves. */
function reserve({ actor }: Author, limits: DecisionLimit[]) {
  const added = listReservations(limits);
  const by = actor.kind === 'system' ? 'policy' : 'person';
  return { state: { limits, spends: added }, spends: { added, caps: listBinding(limits, by) } };
}

/** The commitment to the raw action while that is the action in force; null after a correction. */
export function findBinding({ answer, changed }: TraceDocument): string | null {
  return typeof changed?.['outputDecision'] === 'string' ? null : (answer?.binding ?? null);
}

/** Decrypts the values of the decision that is amended. */
export async function openSubject(
  contents: Contents,
  about: Subject<TraceDocument>,
): Promise<Subject<TraceDocument>> {
  const { trace, subject, after } = about;
  const organizationId = trace.organizationId.toHexString();
  return { trace: await contents.decryptOne(organizationId, trace), subject, after };
}

export function isPending({ review }: Pick<TraceDocument, 'review'>): boolean {
  return review?.status === 'pending';
}
