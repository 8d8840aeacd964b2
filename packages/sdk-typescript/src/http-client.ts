// One request to the service: retries what may succeed later, obeys Retry-After, and turns answers into errors.
import {
  createNotAssay,
  createRefusal,
  isRefusal,
  isSuccess,
  parseReply,
  type Reply,
  toDetails,
} from './answers.ts';
import { Unavailable } from './errors.ts';
import type { Json } from './json.ts';
import { limitTime, sleep } from './timers.ts';

export type { Reply } from './answers.ts';

export interface HttpOptions {
  url: string;
  /** An API key, or a session token for what people do. */
  key?: string | undefined;
  token?: string | undefined;
  /** Gives the key instead, for each call. */
  readKey?: (() => Promise<string>) | undefined;
  /** Milliseconds for a call with all its attempts. */
  timeout: number;
  fetch: typeof fetch;
  /** Name and version of the program, which its decisions name; default: this package. */
  client?: string | undefined;
}

export interface CallOptions {
  body?: Json;
  idempotencyKey?: string;
  /** Refusals that are answers and no errors. */
  accept?: readonly number[];
  /** Milliseconds for this call, instead of `timeout`. */
  timeout?: number;
  /** Milliseconds after which the first attempt is given up, doubled for each further one; default: all that is left. */
  attemptTimeout?: number;
  signal?: AbortSignal | undefined;
  /** Whether it is sent though the service did not answer the last calls: what was begun is brought to its end. */
  isBegun?: boolean;
}

const OWN_NAME = 'assay-typescript/0.1.0';
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
const CIRCUIT_FAILURES = 3;
const CIRCUIT_OPEN_MS = 10_000;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);
/** What gateways answer for a service that does not. */
const AWAY = new Set([502, 503, 504]);
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** One attempt: a whole answer, the head of one whose body did not arrive, or nothing. */
interface Attempt {
  reply?: Reply;
  isCut?: boolean;
  failure?: unknown;
}

/**
 * Sends requests. After three calls without an answer it fails at once for ten seconds. It follows no redirect: the key
 * reaches no other address.
 */
export class HttpClient {
  readonly #options: HttpOptions;
  #failures = 0;
  #openUntil = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and returns its answer.
   * @throws Unavailable without an answer of Assay in time; another AssayError for a refusal
   */
  async send(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const deadline = Date.now() + (options.timeout ?? this.#options.timeout);
    if (this.#openUntil > Date.now() && !options.isBegun)
      throw new Unavailable('The service did not answer the last calls', {
        code: 'CIRCUIT_OPEN',
        isAway: true,
      });
    const key = (await this.#options.readKey?.()) ?? this.#options.key;
    let answered: Attempt | undefined;
    for (let attempt = 1; ; attempt++) {
      const tried = await this.#attempt(method, path, options, { deadline, attempt, key });
      options.signal?.throwIfAborted();
      const { reply, isCut } = tried;
      const mayRetry = !reply || isCut || RETRIED.has(reply.status);
      if (reply && !options.isBegun) this.#failures = 0;
      if (reply && !mayRetry) return judge(reply, options);
      const retryAfter = reply ? readRetryAfter(reply.headers) : 0;
      const pause = Math.max(retryAfter, Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
      // A time that the service names is no failure: it is waited for as long as the call may take.
      const isLast = attempt >= ATTEMPTS && retryAfter === 0;
      if (reply ? !AWAY.has(reply.status) : isForeign(tried.failure)) answered = tried;
      // Silence at the end is none where something else answered before.
      if (isLast || Date.now() + pause > deadline)
        throw this.#fail(answered ?? tried, retryAfter, options);
      await sleep(pause, options);
    }
  }

  async #attempt(
    method: string,
    path: string,
    options: CallOptions,
    { deadline, attempt, key }: { deadline: number; attempt: number; key: string | undefined },
  ): Promise<Attempt> {
    const { url, token, fetch, client = OWN_NAME } = this.#options;
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': client };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    else if (key !== undefined) headers['x-api-key'] = key;
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
    const longest = (options.attemptTimeout ?? Infinity) * 2 ** (attempt - 1);
    const left = Math.min(deadline - Date.now(), longest);
    let answer: Response | undefined;
    const ask = async (signal: AbortSignal): Promise<Attempt> => {
      answer = await fetch(url + path, {
        method,
        headers,
        redirect: 'manual',
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        signal,
      });
      return { reply: parseReply(answer, await readBody(answer)) };
    };
    try {
      return await limitTime(left, options.signal, ask);
    } catch (failure) {
      return answer ? { reply: parseReply(answer, null), isCut: true, failure } : { failure };
    }
  }

  #fail({ reply, isCut, failure: cause }: Attempt, retryAfter: number, { isBegun }: CallOptions) {
    // A service that answers is there: only silence opens the circuit.
    if (!reply && !isBegun && ++this.#failures >= CIRCUIT_FAILURES) {
      this.#failures = 0;
      this.#openUntil = Date.now() + CIRCUIT_OPEN_MS;
    }
    if (!reply && isForeign(cause))
      return new Unavailable('What answers does not speak HTTP', { code: 'NOT_ASSAY', cause });
    if (!reply)
      return new Unavailable('The service does not answer', {
        code: 'NO_ANSWER',
        isAway: true,
        cause,
      });
    const isAway = AWAY.has(reply.status);
    if (isCut && !isAway) return createNotAssay(reply);
    return new Unavailable(reply.message, { ...toDetails(reply), isAway, retryAfter });
  }
}

function judge(reply: Reply, { accept = [] }: CallOptions): Reply {
  if (isSuccess(reply)) return reply;
  if (!isRefusal(reply)) throw createNotAssay(reply);
  if (accept.includes(reply.status)) return reply;
  throw createRefusal(reply);
}

/** Whether bytes arrived that are no answer of HTTP, as from a port of something else, or one that fetch keeps to itself. */
function isForeign(failure: unknown): boolean {
  const { cause } = (failure ?? {}) as {
    cause?: { code?: string; name?: string; message?: string };
  };
  if (!cause) return false;
  const { code, name, message } = cause;
  // Of a 407 fetch says nothing at all.
  if (code === undefined && message === '') return true;
  return /HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE/.test(`${code} ${name}`);
}

/** Returns the text of a body; null where it is too long or no UTF-8. */
async function readBody({ body }: Response): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = body?.getReader();
  const parts: string[] = [];
  for (let bytes = 0; reader;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    const text = bytes > BODY_BYTES_MAX ? null : decode(value);
    if (text === null) {
      await reader.cancel().catch(() => undefined);
      return null;
    }
    parts.push(text);
  }
  return decode() === null ? null : parts.join('');

  function decode(value?: Uint8Array): string | null {
    try {
      return decoder.decode(value, { stream: value !== undefined });
    } catch {
      return null;
    }
  }
}

/** Milliseconds; 0: the header is absent or no number or date. */
function readRetryAfter(headers: Headers): number {
  const value = headers.get('retry-after');
  if (value === null) return 0;
  const ms = Number.isNaN(Number(value)) ? Date.parse(value) - Date.now() : Number(value) * 1000;
  return ms > 0 ? ms : 0;
}
