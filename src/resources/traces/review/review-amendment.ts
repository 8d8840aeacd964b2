// Builds the entry of a review verdict, bound to the action in force when the verdict is given.
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { sealValues } from '../../../domain/record/commitments.ts';
import { type Change, createReviewPayload } from '../../../domain/record/payload.ts';
import { RAW_ACTION } from '../../../domain/record/proposed-action.ts';
import { buildAmendmentBase, buildAmendment } from '../../../ledger/amend/amendment-base.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import type { Contents } from '../../../ledger/contents/contents.ts';
import type { TraceDocument } from '../traces.model.ts';
import { computeActionDigest } from '../traces.view.ts';

/** A verdict whose texts are scrubbed. */
export interface VerdictWords {
  decision: 'approve' | 'reject';
  reason: string | undefined;
  notes: string | undefined;
}

/** How each verdict changes the decision. */
const CHANGES: Readonly<Record<VerdictWords['decision'], Change>> = {
  approve: { status: 'approved', humanOverride: false },
  reject: { status: 'blocked', humanOverride: true },
};

export function prepareReviewAmendment(
  by: Pick<Tenant, 'organizationId' | 'actor'>,
  { decision, reason, notes }: VerdictWords,
  random16: () => Buffer,
) {
  /** Expects a decision whose values are decrypted. */
  return (about: Subject<TraceDocument>): Amendment => {
    const actionDigest = computeActionDigest(about.trace);
    const { sealed, commitments } = sealValues({ reason, notes, actionDigest }, random16);
    const binding = findBinding(about.trace);
    const payload = createReviewPayload({
      ...buildAmendmentBase(by, about),
      commitments: binding === null ? commitments : { ...commitments, [RAW_ACTION]: binding },
      reviewId: about.trace.review?._id.toHexString() ?? '',
      decision,
      set: CHANGES[decision],
    });
    return buildAmendment('review', payload, { sealed });
  };
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
  return { trace: await contents.openOne(organizationId, trace), subject, after };
}

export function isPending({ review }: Pick<TraceDocument, 'review'>): boolean {
  return review?.status === 'pending';
}
