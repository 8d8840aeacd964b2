// The one parser of the service's answers: what it does not know is no approval, and no answer of Assay.
import { computeCommitment } from './digest.ts';
import {
  ActionChanged,
  AlreadyExecuted,
  type AssayError,
  Blocked,
  Expired,
  type Halt,
  Halted,
  Invalid,
  type Limit,
  NotDecided,
  Rejected,
  Unauthorised,
  Unavailable,
  Withdrawn,
} from './errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** An answer as it came. */
export interface Reply {
  status: number;
  headers: Headers;
  /** `data` of the envelope, or the whole body where there is none. A list becomes `items`. */
  data: JsonObject;
  /** The body, where it is one JSON object of type `application/json`; null: it is none. */
  body: JsonObject | null;
  code: string | undefined;
  message: string;
  requestId: string | undefined;
}

/** What the service said to a proposal that it did not block. */
export interface Proposal {
  traceId: string;
  /** `held`: a person decides. */
  verdict: 'approved' | 'held';
  binding: { salt: string; commitment: string };
  expiresAt: string | null;
  review: string | null;
  /** Whether a policy asks for a claim though no person has to decide. */
  mustClaim: boolean;
  /** Whether it was proposed before, under the same key: it may be decided by now. */
  isReplay: boolean;
  /** The limits that it would pass. */
  limits: readonly Limit[];
}

const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn', 'none'] as const;
export type ReviewStatus = (typeof STATUSES)[number];

export interface Verdict {
  status: ReviewStatus;
  /** A JSON Merge Patch that the reviewer made the approval subject to; null: none. */
  edits: JsonObject | null;
  reason: string | null;
}

export interface Claim {
  executionId: string;
  leaseUntil: string | null;
}

/** Makes a reply of what arrived; `text` is null where it was too long, was cut off, or is no UTF-8. */
export function parseReply({ status, headers }: Response, text: string | null): Reply {
  const body = isJsonType(headers.get('content-type')) ? parseObject(text) : null;
  const { data, code, error } = body ?? {};
  return {
    status,
    headers,
    data: toObject(data ?? body),
    body,
    code: readText(code) ?? undefined,
    message: readText(error) ?? `The service answered ${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
  };
}

/** Whether the service says that it did what was asked; what it did, each operation's own reader looks at. */
export const isSuccess = ({ status, body }: Reply): boolean =>
  status >= 200 && status < 300 && body !== null && body.success !== false;

/** Whether the service says no. */
export const isRefusal = ({ status, body, code }: Reply): boolean =>
  status >= 400 && status < 500 && body?.success === false && code !== undefined;

/** Something else answers under the service's address, or in a way that this version does not know. */
export const createNotAssay = ({ status, requestId }: Reply): Unavailable =>
  new Unavailable(`What answers under the service's address is not Assay (status ${status})`, {
    code: 'NOT_ASSAY',
    status,
    requestId,
  });

/** A new call was answered with a decision about an earlier one. */
export const createReplayed = (traceId: string): Unavailable =>
  new Unavailable('The answer is about an earlier call', { code: 'NOT_ASSAY', traceId });

/** @throws Unavailable for what is neither an approval nor a hold */
export function readProposal(reply: Reply, url: string): Proposal {
  const data = openEnvelope(reply, [201, 202]);
  const { traceId, status, binding, claimRequired = false, links } = data;
  const review = isObject(links) ? readText(links.review) : null;
  if (
    !isName(traceId) ||
    status !== (reply.status === 202 ? 'flagged' : 'approved') ||
    !isBinding(binding) ||
    typeof claimRequired !== 'boolean'
  )
    throw createNotAssay(reply);
  return {
    traceId,
    verdict: status === 'flagged' ? 'held' : 'approved',
    binding: { salt: binding.salt, commitment: binding.commitment },
    expiresAt: readText(data.expiresAt),
    review: review !== null && URL.canParse(review, url) ? new URL(review, url).href : null,
    mustClaim: claimRequired,
    isReplay: reply.headers.get('idempotency-replayed') === 'true',
    limits: readLimits(reply),
  };
}

/** @throws Unavailable for another decision's verdict, and where header and body differ */
export function readVerdict(reply: Reply, asked: string): Verdict {
  const { traceId, review } = openEnvelope(reply, [200]);
  const { status = null, edits = null, reason } = isObject(review) ? review : { status: 'none' };
  const said = reply.headers.get('x-review-status') ?? status;
  const isKnown = STATUSES.some((known) => known === status) && said === status;
  const isReview = review === null || isObject(review);
  if (traceId !== asked || !isKnown || !isReview || (edits !== null && !isObject(edits)))
    throw createNotAssay(reply);
  return { status: status as ReviewStatus, edits, reason: readText(reason) };
}

/** @throws AssayError that says why the approval cannot be used */
export function readClaim(reply: Reply, traceId: string): Claim {
  if (isRefusal(reply)) throw createClaimError(reply, traceId);
  const data = openEnvelope(reply, [201]);
  const { executionId, leaseUntil } = data;
  if (data.traceId !== traceId || !isName(executionId)) throw createNotAssay(reply);
  return { executionId, leaseUntil: readText(leaseUntil) };
}

/** @throws Unavailable unless the answer is about this execution */
export function assertReported(reply: Reply, executionId: string): void {
  if (openEnvelope(reply, [200]).executionId !== executionId) throw createNotAssay(reply);
}

/** Returns false when it was decided before. @throws Unavailable unless the answer is about this decision */
export function readWithdrawal(reply: Reply, traceId: string): boolean {
  if (isRefusal(reply)) return false;
  if (openEnvelope(reply, [200]).traceId !== traceId) throw createNotAssay(reply);
  return true;
}

/** Throws what a verdict other than an approval stands for. */
export function assertApproved(traceId: string, { status, reason }: Verdict): void {
  const because = reason === null ? '' : `: ${reason}`;
  const details = { traceId, reason };
  if (status === 'rejected')
    throw new Rejected(`A person rejected it${because}`, { ...details, code: 'APPROVAL_REJECTED' });
  if (status === 'expired')
    throw new Expired('The hold ended without a verdict', { ...details, code: 'APPROVAL_EXPIRED' });
  if (status === 'withdrawn')
    throw new Withdrawn(`It was withdrawn${because}`, { ...details, code: 'APPROVAL_WITHDRAWN' });
  if (status !== 'approved')
    throw new NotDecided('No person has decided yet', { ...details, code: 'APPROVAL_PENDING' });
}

/**
 * Throws unless the decision is about this action. A repeated name of a call gets the decision about the first one: it
 * says nothing about other arguments.
 */
export async function assertBound(
  { traceId, binding }: { traceId: string; binding: Proposal['binding'] | null },
  rawActionDigest: string,
): Promise<void> {
  if (binding && (await computeCommitment(binding.salt, rawActionDigest)) === binding.commitment)
    return;
  throw new ActionChanged('The action is not the one that was asked for', {
    traceId,
    code: 'ACTION_CHANGED',
  });
}

/** Returns the error that a refusal stands for. `about`: the decision that was asked about. */
export function createRefusal(reply: Reply, about?: string): AssayError {
  const halt = readHalt(reply);
  const traceId = readText(reply.data.traceId) ?? about;
  const details = { ...toDetails(reply), traceId, limits: readLimits(reply) };
  if (reply.code === 'SVC_BLOCKED_BY_POLICY') {
    const matched = isObject(reply.data.matchedPolicy) ? reply.data.matchedPolicy : {};
    const blocked = { ...details, policy: readText(matched.name) ?? undefined };
    const { message } = reply;
    return halt ? new Halted(message, { ...blocked, halt }) : new Blocked(message, blocked);
  }
  if (reply.code === 'HALTED') return new Halted(reply.message, { ...details, halt });
  if (reply.status === 401 || reply.status === 403) return new Unauthorised(reply.message, details);
  return new Invalid(reply.message, details);
}

/** Returns what an answer says of a halt; null: nothing that can be read. */
function readHalt({ data: { halt } }: Reply): Halt | null {
  if (!isObject(halt)) return null;
  const { scope, state, since, sequence, reason } = halt;
  if (!isName(scope) || !isName(state) || !isName(since) || typeof sequence !== 'number')
    return null;
  return { scope, state, since, sequence, reason: readText(reason) };
}

/** Returns the limits that an answer names; what has not the form of one is none. */
const readLimits = ({ data: { limits } }: Reply): Limit[] =>
  Array.isArray(limits) ? limits.flatMap(readLimit) : [];

function readLimit(value: Json): Limit[] {
  if (!isObject(value)) return [];
  const { policy, at, type, of, per, window, most, left, freesAt } = value;
  const isLimit =
    [policy, type, of, per, window, freesAt ?? 'never'].every(isName) &&
    [at, most, left ?? 0].every(isAmount);
  const limit = { policy, at, type, of, per, window, most, left, freesAt };
  return isLimit && left !== undefined && freesAt !== undefined ? [limit as Limit] : [];
}

export function toDetails({ code, status, requestId }: Reply) {
  return { status, code: code ?? `HTTP_${status}`, requestId };
}

function createClaimError(reply: Reply, traceId: string): AssayError {
  const errors: Record<string, typeof AssayError> = {
    APPROVAL_USED: AlreadyExecuted,
    APPROVAL_MISMATCH: ActionChanged,
    APPROVAL_PENDING: NotDecided,
    APPROVAL_REJECTED: Rejected,
    APPROVAL_EXPIRED: Expired,
    APPROVAL_WITHDRAWN: Withdrawn,
    EFFECT_RESERVED: AlreadyExecuted,
    EFFECT_DONE: AlreadyExecuted,
    DECISION_OBSERVED: AlreadyExecuted,
  };
  const Kind = errors[reply.code!];
  if (!Kind) return createRefusal(reply, traceId);
  return new Kind(reply.message, { ...toDetails(reply), traceId });
}

/** Returns `data` of an answer in the service's envelope. @throws Unavailable for every other answer */
function openEnvelope(reply: Reply, statuses: readonly number[]): JsonObject {
  const { success, data } = reply.body ?? {};
  if (!statuses.includes(reply.status) || success !== true || !isObject(data))
    throw createNotAssay(reply);
  return data;
}

function isBinding(value: Json | undefined): value is { salt: string; commitment: string } {
  return isObject(value) && isName(value.salt) && isName(value.commitment);
}

function parseObject(text: string | null): JsonObject | null {
  try {
    const value = JSON.parse(text ?? '') as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isJsonType = (type: string | null): boolean =>
  type !== null && type.split(';', 1)[0]!.trim().toLowerCase() === 'application/json';

/** A list becomes `items`; what is neither becomes an object without members. */
function toObject(value: Json): JsonObject {
  if (Array.isArray(value)) return { items: value };
  return isObject(value) ? value : {};
}

const isName = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '';

/** Whether it can be an amount that is spent. */
export const isAmount = (value: unknown): value is number =>
  Number.isFinite(value) && (value as number) >= 0;

const readText = (value: Json | undefined): string | null =>
  typeof value === 'string' ? value : null;
