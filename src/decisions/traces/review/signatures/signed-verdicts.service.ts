// Approvals that their person signs: what is to be signed, whether it must be, and what the entry commits to.
import type { Json, JsonObject } from '@assay/json';
import type { PasskeyAssertion } from '../../../../domain/identity/passkeys/ceremonies.ts';
import {
  type ApprovalPlace,
  createApprovalStatement,
} from '../../../../domain/review/approval-statement.ts';
import type { TracePayload } from '../../../../domain/record/payload.ts';
import { AppError } from '../../../../errors.ts';
import {
  requestSignature,
  type SignatureRequest,
  type SignedStatement,
  takeSignature,
} from '../../../../identity/auth/credentials/signatures.service.ts';
import type { Subject } from '../../../../ledger/amend/amendments.ts';
import type { Context } from '../../../../platform/context.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { computeActionDigest } from '../../traces.view.ts';
import type { JudgedApproval } from '../approvals/judged-approval.service.ts';
import { findBinding } from '../review-amendment.ts';

interface Given {
  decision: 'approve' | 'reject';
  edits?: Json | undefined;
  signature?: PasskeyAssertion | undefined;
}

/** Whether policies want an approval of it signed. */
export const mustBeSigned = ({ review }: Pick<TraceDocument, 'review'>): boolean =>
  review?.approvals?.signed === true;

/**
 * Takes the signature of an approval, over the decision as it is now; undefined: none is given, and none is due.
 * Expects a decision whose values are decrypted.
 * @throws AppError `SIGNATURE_REQUIRED`, `SIGNATURE_INVALID`
 */
export async function signApproval(
  { platform, tenant }: Context,
  about: Subject<TraceDocument>,
  { given, judged }: { given: Given; judged: JudgedApproval | null },
): Promise<SignedStatement | undefined> {
  const { decision, edits, signature } = given;
  if (decision === 'reject') return undefined;
  if (!signature) {
    if (mustBeSigned(about.trace)) throw createSignatureError();
    return undefined;
  }
  const statement = buildStatement(about, { edits, judged });
  return takeSignature(platform, toSignatory(tenant), { statement, signature });
}

/** What the caller signs to approve the decision as it is now. */
export const requestApproval = (
  { platform, tenant }: Context,
  about: Subject<TraceDocument>,
  parts: { edits: Json | undefined; judged: JudgedApproval | null },
): Promise<SignatureRequest> =>
  requestSignature(platform, toSignatory(tenant), buildStatement(about, parts));

export const createSignatureError = (): AppError =>
  new AppError(
    'SIGNATURE_REQUIRED',
    'A policy wants this approval signed with a passkey: decide it in the console',
  );

const toSignatory = ({ organizationId, actor }: Context['tenant']) => ({
  organizationId,
  userId: actor.id ?? '',
});

function buildStatement(
  { trace, subject, after }: Subject<TraceDocument>,
  { edits, judged }: { edits: Json | undefined; judged: JudgedApproval | null },
): JsonObject {
  const { policySetDigest } = JSON.parse(trace.view) as TracePayload;
  const place: ApprovalPlace = {
    organizationId: trace.organizationId.toHexString(),
    traceId: trace.traceId,
    reviewId: trace.review?._id.toHexString() ?? '',
    step: judged?.step ?? null,
    actionDigest: computeActionDigest(trace),
    rawAction: findBinding(trace),
    edits,
    policySetDigest,
    expiresAt: trace.review?.expiresAt ?? null,
    subject,
    after,
  };
  return createApprovalStatement(place);
}
