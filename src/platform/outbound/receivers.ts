// Posts JSON once to receivers that users name; a failure is a result, not an exception.
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { SafeHttp } from './safe-http.ts';

/** Result of one attempt. */
export interface PostOutcome {
  /** Whether the receiver answered 2xx. */
  ok: boolean;
  /** Null: it did not answer. */
  statusCode: number | null;
  durationMs: number;
  /** The reason of a failure, without network addresses. */
  error: string | null;
  /** The receiver's `Retry-After`; null: none. */
  retryAfterMs: number | null;
  /** The receiver did not answer in time. */
  hasTimedOut: boolean;
}

export interface Message {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The receiver timed out recently, so the timeout is shorter. */
  isSuspect?: boolean;
}

export interface Receivers {
  /** @throws AppError `SSRF_BLOCKED`: nothing was sent */
  postMessage(message: Message): Promise<PostOutcome>;
  /** Like `postMessage`, but a forbidden destination is a failed outcome. */
  attempt(message: Message): Promise<PostOutcome>;
  close(): Promise<void>;
}

const USER_AGENT = 'Assay-Webhooks';
/** Upper bound on a receiver's `Retry-After`. */
const MAX_RETRY_AFTER_MS = 24 * 3600_000;

interface ReceiversDeps {
  /** Decides what may be reached, and bounds time and answer. */
  http: SafeHttp;
  clock: Clock;
  /** Timeout of a suspect receiver. */
  suspectTimeoutMs: number;
}

export function createReceivers({ http, clock, suspectTimeoutMs }: ReceiversDeps): Receivers {
  async function sendMessage({
    url,
    headers,
    body,
    isSuspect = false,
  }: Message): Promise<Omit<PostOutcome, 'durationMs'>> {
    const sent = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...headers };
    const signal = isSuspect ? AbortSignal.timeout(suspectTimeoutMs) : undefined;
    const response = await http.fetch(url, { method: 'POST', headers: sent, body, signal });
    const { ok, status: statusCode } = response;
    const error = ok ? null : `answered ${statusCode}`;
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), clock.now());
    return { ok, statusCode, error, retryAfterMs, hasTimedOut: false };
  }

  async function postMessage(message: Message): Promise<PostOutcome> {
    const start = performance.now();
    const answer = await sendMessage(message).catch(toUnansweredOutcome);
    return { ...answer, durationMs: Math.round(performance.now() - start) };
  }

  return {
    postMessage,
    attempt: (message) => postMessage(message).catch(toForbiddenOutcome),
    close: () => http.close(),
  };
}

function toForbiddenOutcome(error: unknown): PostOutcome {
  if (!(error instanceof AppError)) throw error;
  return createFailedOutcome(error.code);
}

/** @throws AppError: nothing was sent */
function toUnansweredOutcome(error: unknown): PostOutcome {
  if (error instanceof AppError) throw error;
  const hasTimedOut = isTimeout(error);
  return Object.assign(createFailedOutcome(`did not answer: ${describeReason(error)}`), {
    hasTimedOut,
  });
}

const createFailedOutcome = (error: string): PostOutcome => ({
  ok: false,
  statusCode: null,
  durationMs: 0,
  error,
  retryAfterMs: null,
  hasTimedOut: false,
});

const isTimeout = (error: unknown): boolean =>
  (error as { name?: string }).name === 'TimeoutError' ||
  (error as { cause?: { code?: unknown } }).cause?.code === 'UND_ERR_CONNECT_TIMEOUT';

/** Prefers the error code, since the message may contain an address. */
function describeReason(error: unknown): string {
  if (isTimeout(error)) return 'it took too long';
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed';
}

/** Seconds or a date (RFC 9110). */
function parseRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const ms = /^\d{1,9}$/.test(header)
    ? Number(header) * 1000
    : new Date(header).getTime() - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
