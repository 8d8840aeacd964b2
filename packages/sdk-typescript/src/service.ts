// The operations of the service that a guard needs, in their order: propose, wait, withdraw, claim, report.
import {
  assertReported,
  type Claim,
  type Proposal,
  readClaim,
  readProposal,
  readVerdict,
  readWithdrawal,
  type Verdict,
} from './answers.ts';
import { Unavailable } from './errors.ts';
import type { CallOptions, HttpClient, Reply } from './http-client.ts';
import type { JsonObject } from './json.ts';
import { sleep } from './timers.ts';

export {
  assertApproved,
  assertBound,
  type Claim,
  type Proposal,
  type ReviewStatus,
  type Verdict,
} from './answers.ts';

const API = '/api/v1';
/** The longest wait of one request, in seconds, and the time that its answer may take beyond it. */
const WAIT_SECONDS_MAX = 55;
const WAIT_MARGIN_MS = 10_000;
/** The least time between two questions about a verdict. */
const PAUSE_MS = 1_000;
/** Time for one attempt of a claim: then its answer counts as lost. */
const CLAIM_ATTEMPT_MS = 3_000;
/** Time for a claim with all its attempts, where the approval does not last longer. */
const CLAIM_MS_MIN = 60_000;

/** What an action used in fact, where it is not what its decision said. */
export interface Used {
  /** In place of the fields of the action, such as `action.totalAmount`. */
  amount?: number;
  /** In place of `metadata.tokens`. */
  tokens?: number;
}

export interface Outcome {
  outcome: 'succeeded' | 'failed' | 'unknown';
  resultDigest?: string;
  summary?: string;
  durationMs?: number;
  labels?: string[];
  used?: Used;
}

export class Service {
  readonly #http: HttpClient;
  readonly #url: string;

  constructor(http: HttpClient, url: string) {
    this.#http = http;
    this.#url = url;
  }

  /** Posts a decision and returns the answer. @throws Blocked when a policy forbids it */
  async post(body: JsonObject, idempotencyKey: string): Promise<Reply> {
    const reply = await this.#http.send('POST', `${API}/traces`, { body, idempotencyKey });
    return readProposal(reply, this.#url) && reply;
  }

  /** Posts a decision. @throws Blocked when a policy forbids it */
  async propose(body: JsonObject, idempotencyKey: string): Promise<Proposal> {
    return readProposal(await this.post(body, idempotencyKey), this.#url);
  }

  /** Reads a decision; with `seconds` the service answers as soon as there is a verdict. */
  read(traceId: string, seconds = 0, options: CallOptions = {}): Promise<Reply> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}${seconds > 0 ? `?wait=${seconds}` : ''}`;
    return this.#http.send('GET', path, { isBegun: true, ...options });
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
      try {
        const began = Date.now();
        const verdict = readVerdict(
          await this.read(traceId, seconds, { timeout, signal }),
          traceId,
        );
        if (verdict.status !== 'pending' || left < 1000) return verdict;
        await sleep(Math.max(0, Math.min(seconds * 1000, PAUSE_MS - (Date.now() - began))), {
          signal,
        });
      } catch (error) {
        if (!(error instanceof Unavailable) || left <= PAUSE_MS) throw error;
        await sleep(Math.min(left, Math.max(PAUSE_MS, error.retryAfter)), { signal });
      }
    }
  }

  /** Withdraws a request. Returns false when it was decided before. */
  async withdraw(traceId: string): Promise<boolean> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}/withdraw`;
    const options = { body: {}, accept: [400, 404, 409], isBegun: true };
    return readWithdrawal(await this.#http.send('POST', path, options), traceId);
  }

  /**
   * Claims the approval, once. A claim whose answer is lost is repeated under the same key, which is made here and kept
   * nowhere: another process, or this one after a restart, cannot know whether the action was carried out.
   * @param until is when the approval ends; a time that the service names before a new attempt is waited for until then
   * @throws AssayError that says why it cannot be used
   */
  async claim(traceId: string, digests: JsonObject, until?: string | null): Promise<Claim> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}/executions`;
    const reply = await this.#http.send('POST', path, {
      body: digests,
      accept: [403, 409],
      idempotencyKey: crypto.randomUUID(),
      attemptTimeout: CLAIM_ATTEMPT_MS,
      timeout: Math.max(CLAIM_MS_MIN, Date.parse(until ?? '') - Date.now() || 0),
      isBegun: true,
    });
    return readClaim(reply, traceId);
  }

  async report(traceId: string, executionId: string, outcome: Outcome): Promise<void> {
    const path = `${API}/traces/${encodeURIComponent(traceId)}/executions/${encodeURIComponent(executionId)}`;
    const options = { body: { ...outcome } as object as JsonObject, isBegun: true };
    assertReported(await this.#http.send('PATCH', path, options), executionId);
  }

  /** Returns what the key may do, and for which agent. */
  async readKey(): Promise<JsonObject> {
    return (await this.#http.send('GET', `${API}/auth/key`)).data;
  }
}
