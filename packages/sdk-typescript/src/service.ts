// The operations of the service that a guard needs, in their order: propose, wait, withdraw, claim, report.
import { computeCommitment } from './digest.ts';
import {
  AlreadyExecuted,
  ActionChanged,
  type AssayError,
  Expired,
  Invalid,
  NotDecided,
  Rejected,
  Unauthorised,
  Unavailable,
  Withdrawn,
} from './errors.ts';
import { type CallOptions, type HttpClient, type Reply, sleep } from './http-client.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const API = '/api/v1';
/** The longest wait of one request, in seconds, and the time that its answer may take beyond it. */
const WAIT_SECONDS_MAX = 55;
const WAIT_MARGIN_MS = 10_000;
const UNREACHED_PAUSE_MS = 1_000;
/** Time for one attempt of a claim: then its answer counts as lost. */
const CLAIM_ATTEMPT_MS = 3_000;

/** What the service said to a proposal that it did not block. */
export interface Proposal {
  traceId: string;
  /** `held`: a person decides. */
  verdict: 'approved' | 'held';
  binding: { salt: string; commitment: string } | null;
  expiresAt: string | null;
  review: string | null;
  /** Whether a policy asks for a claim though nobody has to decide. */
  mustClaim: boolean;
  /** Whether it was proposed before, under the same key: it may be decided by now. */
  isReplay: boolean;
}

export type ReviewStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn' | 'none';

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

export interface Outcome {
  outcome: 'succeeded' | 'failed' | 'unknown';
  resultDigest?: string;
  summary?: string;
  durationMs?: number;
  labels?: string[];
}

export class Service {
  readonly #http: HttpClient;
  readonly #url: string;

  constructor(http: HttpClient, url: string) {
    this.#http = http;
    this.#url = url;
  }

  /** Posts a decision. @throws Blocked when a policy forbids it */
  async propose(body: JsonObject, idempotencyKey: string, signal?: AbortSignal): Promise<Proposal> {
    const { status, headers, data } = await this.#http.send('POST', `${API}/traces`, {
      body,
      idempotencyKey,
      signal,
    });
    const links = isObject(data.links) ? data.links : {};
    return {
      traceId: String(data.traceId),
      verdict: status === 202 ? 'held' : 'approved',
      binding: readBinding(data.binding),
      expiresAt: readText(data.expiresAt),
      review: typeof links.review === 'string' ? new URL(links.review, this.#url).href : null,
      mustClaim: data.claimRequired === true,
      isReplay: headers.get('idempotency-replayed') === 'true',
    };
  }

  /** Reads a decision; with `seconds` the service answers as soon as there is a verdict. */
  read(traceId: string, seconds = 0, options: CallOptions = {}): Promise<Reply> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}${seconds > 0 ? `?wait=${seconds}` : ''}`;
    return this.#http.send('GET', path, options);
  }

  /**
   * Waits for a verdict, over restarts of the service, for `ms` milliseconds; `Infinity` is allowed.
   * The status is `pending` when the time is over.
   */
  async awaitVerdict(traceId: string, ms: number, signal?: AbortSignal): Promise<Verdict> {
    const deadline = Date.now() + ms;
    for (;;) {
      const left = Math.max(0, deadline - Date.now());
      const seconds = Math.min(WAIT_SECONDS_MAX, Math.floor(left / 1000));
      const timeout = seconds * 1000 + WAIT_MARGIN_MS;
      const reply = await this.read(traceId, seconds, { timeout, signal }).catch(
        (error: unknown) => {
          if (error instanceof Unavailable && left > UNREACHED_PAUSE_MS) return null;
          throw error;
        },
      );
      if (reply) {
        const verdict = readVerdict(reply);
        if (verdict.status !== 'pending' || left < 1000) return verdict;
      } else await sleep(UNREACHED_PAUSE_MS, signal);
    }
  }

  /** Withdraws a request. Returns false when it was decided before. */
  async withdraw(traceId: string): Promise<boolean> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}/withdraw`;
    const { status } = await this.#http.send('POST', path, { body: {}, accept: [400, 404, 409] });
    return status < 300;
  }

  /**
   * Claims the approval, once. A claim whose answer is lost is repeated under the same key, which is made here and kept
   * nowhere: another process, or this one after a restart, cannot know whether the action was carried out.
   * @throws AssayError that says why it cannot be used
   */
  async claim(traceId: string, digests: JsonObject): Promise<Claim> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}/executions`;
    const reply = await this.#http.send('POST', path, {
      body: digests,
      accept: [403, 409],
      idempotencyKey: crypto.randomUUID(),
      attemptTimeout: CLAIM_ATTEMPT_MS,
    });
    if (reply.status >= 300) throw createClaimError(traceId, reply);
    return {
      executionId: String(reply.data.executionId),
      leaseUntil: readText(reply.data.leaseUntil),
    };
  }

  async report(traceId: string, executionId: string, outcome: Outcome): Promise<void> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}/executions/${encodeURIComponent(executionId)}`;
    await this.#http.send('PATCH', path, { body: { ...outcome } as JsonObject });
  }

  /** Returns what the key may do, and for which agent. */
  async readKey(): Promise<JsonObject> {
    return (await this.#http.send('GET', `${API}/auth/key`)).data;
  }
}

/** Throws what a verdict other than an approval stands for. */
export function assertApproved(traceId: string, { status, reason }: Verdict): void {
  const because = reason === null ? '' : `: ${reason}`;
  const details = { traceId };
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
  { traceId, binding }: Pick<Proposal, 'traceId' | 'binding'>,
  rawActionDigest: string,
): Promise<void> {
  if (!binding || (await computeCommitment(binding.salt, rawActionDigest)) === binding.commitment)
    return;
  throw new ActionChanged('The action is not the one that was asked for', {
    traceId,
    code: 'ACTION_CHANGED',
  });
}

function createClaimError(
  traceId: string,
  { code, message, status, requestId }: Reply,
): AssayError {
  const details = { traceId, status, ...(code && { code }), ...(requestId && { requestId }) };
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
  const Kind = (code && errors[code]) || (status === 403 ? Unauthorised : Invalid);
  return new Kind(message, details);
}

function readVerdict({ headers, data }: Reply): Verdict {
  const review = isObject(data.review) ? data.review : {};
  const status = headers.get('x-review-status') ?? readText(review.status) ?? 'none';
  return {
    status: status as ReviewStatus,
    edits: isObject(review.edits) ? review.edits : null,
    reason: readText(review.reason),
  };
}

function readBinding(value: Json | undefined): Proposal['binding'] {
  if (!isObject(value)) return null;
  const { salt, commitment } = value;
  return typeof salt === 'string' && typeof commitment === 'string' ? { salt, commitment } : null;
}

const readText = (value: Json | undefined): string | null =>
  typeof value === 'string' ? value : null;
