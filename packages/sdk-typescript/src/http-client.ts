// One request to the service: retries what may succeed later, obeys Retry-After, and turns answers into errors.
import { type AssayError, Blocked, Invalid, Unauthorised, Unavailable } from './errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

export interface HttpOptions {
  url: string;
  /** An API key, or a session token for what people do. */
  key: string | undefined;
  token: string | undefined;
  /** Milliseconds for a call with all its attempts. */
  timeout: number;
  fetch: typeof fetch;
  /** Name and version of the program, which its decisions name; default: this package. */
  client?: string | undefined;
}

export interface CallOptions {
  body?: Json;
  idempotencyKey?: string;
  /** Statuses that are answers and no errors, beside 2xx. */
  accept?: readonly number[];
  /** Milliseconds for this call, instead of `timeout`. */
  timeout?: number;
  /** Milliseconds after which an attempt without an answer is given up; default: all that is left. */
  attemptTimeout?: number;
  signal?: AbortSignal | undefined;
}

export interface Reply {
  status: number;
  headers: Headers;
  /** `data` of the envelope, or the whole body where there is none. */
  data: JsonObject;
  code: string | undefined;
  message: string;
  requestId: string | undefined;
}

const OWN_NAME = 'assay-typescript/0.1.0';
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
const CIRCUIT_FAILURES = 3;
const CIRCUIT_OPEN_MS = 10_000;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

/** Sends requests. After three calls without an answer it fails at once for ten seconds. */
export class HttpClient {
  readonly #options: HttpOptions;
  #failures = 0;
  #openUntil = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and returns its answer.
   * @throws Unavailable without an answer in time; another AssayError for a refusal
   */
  async send(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const deadline = Date.now() + (options.timeout ?? this.#options.timeout);
    if (this.#openUntil > Date.now())
      throw new Unavailable('The service did not answer the last calls', { code: 'CIRCUIT_OPEN' });
    for (let attempt = 1; ; attempt++) {
      const { reply, failure } = await this.#attempt(method, path, options, deadline);
      options.signal?.throwIfAborted();
      const retryAfter = reply && RETRIED.has(reply.status) ? readRetryAfter(reply.headers) : 0;
      if (reply && !RETRIED.has(reply.status)) return this.#judge(reply, options);
      const pause = Math.max(retryAfter, Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
      if (attempt === ATTEMPTS || Date.now() + pause > deadline) throw this.#fail(reply, failure);
      await sleep(pause, options.signal);
    }
  }

  async #attempt(
    method: string,
    path: string,
    options: CallOptions,
    deadline: number,
  ): Promise<{ reply?: Reply; failure?: unknown }> {
    const { url, key, token, fetch, client = OWN_NAME } = this.#options;
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': client };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    else if (key !== undefined) headers['x-api-key'] = key;
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
    const left = Math.min(deadline - Date.now(), options.attemptTimeout ?? Infinity);
    const limit = AbortSignal.timeout(Math.max(1, left));
    try {
      const answer = await fetch(url + path, {
        method,
        headers,
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        signal: options.signal ? AbortSignal.any([limit, options.signal]) : limit,
      });
      return { reply: readReply(answer, await answer.text()) };
    } catch (failure) {
      return { failure };
    }
  }

  #judge(reply: Reply, { accept = [] }: CallOptions): Reply {
    this.#failures = 0;
    if (reply.status < 300 || accept.includes(reply.status)) return reply;
    throw createRefusal(reply);
  }

  #fail(reply: Reply | undefined, cause: unknown): AssayError {
    // A service that answers is there: only silence opens the circuit.
    if (!reply && ++this.#failures >= CIRCUIT_FAILURES) {
      this.#failures = 0;
      this.#openUntil = Date.now() + CIRCUIT_OPEN_MS;
    }
    if (!reply) return new Unavailable('The service does not answer', { code: 'NO_ANSWER', cause });
    return new Unavailable(reply.message, toDetails(reply));
  }
}

/** Returns the error that a refusal stands for. */
function createRefusal(reply: Reply): AssayError {
  const details = toDetails(reply);
  if (reply.code === 'SVC_BLOCKED_BY_POLICY') {
    const matched = isObject(reply.data.matchedPolicy) ? reply.data.matchedPolicy : {};
    const policy = typeof matched.name === 'string' ? matched.name : undefined;
    const traceId = typeof reply.data.traceId === 'string' ? reply.data.traceId : undefined;
    return new Blocked(reply.message, { ...details, policy, ...(traceId && { traceId }) });
  }
  if (reply.status === 401 || reply.status === 403) return new Unauthorised(reply.message, details);
  return new Invalid(reply.message, details);
}

function toDetails({ code, status, requestId }: Reply) {
  return { status, code: code ?? `HTTP_${status}`, ...(requestId && { requestId }) };
}

function readReply(answer: Response, text: string): Reply {
  let body: Json = null;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    // A proxy answers with HTML: the status says enough.
  }
  const envelope = isObject(body) ? body : {};
  const { data, code, error } = envelope;
  return {
    status: answer.status,
    headers: answer.headers,
    data: toObject(data ?? envelope),
    code: typeof code === 'string' ? code : undefined,
    message: typeof error === 'string' ? error : `The service answered ${answer.status}`,
    requestId: answer.headers.get('x-request-id') ?? undefined,
  };
}

/** A list becomes `items`; what is neither becomes an object without members. */
function toObject(value: Json): JsonObject {
  if (Array.isArray(value)) return { items: value };
  return isObject(value) ? value : {};
}

/** Milliseconds; 0: the header is absent or no number or date. */
function readRetryAfter(headers: Headers): number {
  const value = headers.get('retry-after');
  if (value === null) return 0;
  const ms = Number.isNaN(Number(value)) ? Date.parse(value) - Date.now() : Number(value) * 1000;
  return ms > 0 ? ms : 0;
}

/** Waits; rejects when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      signal?.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}
