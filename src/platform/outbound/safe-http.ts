// Requests to addresses that others name: only where it is allowed, checked again at every connection, bounded in time and size.
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import {
  isAllowed,
  mayReach,
  destinationOf,
  readAllowed,
  urlProblem,
  type Allowed,
} from '../../domain/identity/ssrf.ts';
import { AppError } from '../../errors.ts';

/** All addresses of a name; rejects when it has none. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface SafeHttpParts {
  /** Hosts, hosts with a port, addresses and subnets that may be reached although they are private, and over http. */
  allow: readonly string[];
  /** For the whole exchange. */
  timeoutMs: number;
  /** Of an answer's body, decoded. */
  maxBytes: number;
  /** For tests; the system's own otherwise. */
  resolve?: Resolve;
}

/** Of `fetch`; what is undefined counts as left out. */
type RequestOptions = { [K in keyof RequestInit]?: RequestInit[K] | undefined };

export interface SafeHttp {
  /**
   * Like `fetch`, and what openid-client takes as its own: follows no redirect, uses no proxy, has read the body when it resolves.
   * @throws AppError `SSRF_BLOCKED` before anything is connected; `TimeoutError`; Error for an answer too large
   */
  fetch(url: string, options?: RequestOptions): Promise<Response>;
  /** Looks at the text of an address only, for addresses that browsers open. @throws AppError `SSRF_BLOCKED` */
  inspect(url: string): void;
  /**
   * Looks also at where the name leads now, so that a bad address is refused when it is saved. A name that leads nowhere passes:
   * every connection is checked by itself.
   * @throws AppError `SSRF_BLOCKED`
   */
  check(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Statuses whose answers have no body. */
const BODILESS = new Set([101, 204, 205, 304]);

const refusal = (what: string, problem: string): AppError =>
  new AppError('SSRF_BLOCKED', `${what} ${problem}`);
const fromSystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

export function createSafeHttp({
  allow,
  timeoutMs,
  maxBytes,
  resolve = fromSystem,
}: SafeHttpParts): SafeHttp {
  const allowed = readAllowed(allow);
  const dispatcher = new Agent({ connect: connector({ allowed, resolve, timeoutMs }) });

  function inspect(url: string): void {
    const problem = urlProblem(url, allowed);
    if (problem !== null) throw refusal('The address', problem);
  }

  return {
    inspect,
    async check(url) {
      inspect(url);
      const place = destinationOf(new URL(url));
      if (isAllowed(place, allowed)) return;
      assertReachable(
        place.hostname,
        await answersInTime(resolve(place.hostname), timeoutMs),
        allowed,
      );
    },
    async fetch(url, options = {}) {
      inspect(url);
      const signal = AbortSignal.any([
        AbortSignal.timeout(timeoutMs),
        ...(options.signal ? [options.signal] : []),
      ]);
      // The two declarations of fetch differ in name only: Node's own is an older undici.
      const request = { ...options, signal, redirect: 'manual', dispatcher } as Parameters<
        typeof undiciFetch
      >[1];
      try {
        const response = (await undiciFetch(url, request)) as unknown as Response;
        return await readWhole(response, maxBytes);
      } catch (error) {
        const { cause } = error as { cause?: unknown };
        throw cause instanceof AppError ? cause : error;
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** Opens connections, and looks at all that a name resolves to first. No look-up sees a literal address: `inspect` has. */
function connector({
  allowed,
  resolve,
  timeoutMs,
}: {
  allowed: Allowed;
  resolve: Resolve;
  timeoutMs: number;
}) {
  const timeout = timeoutMs;
  const anywhere = buildConnector({
    timeout,
    lookup: lookupBy(resolve),
  } as buildConnector.BuildOptions);
  const checkedResolve: Resolve = async (hostname) => {
    const answers = await resolve(hostname);
    assertReachable(hostname, answers, allowed);
    return answers;
  };
  const checked = buildConnector({
    timeout,
    lookup: lookupBy(checkedResolve),
  } as buildConnector.BuildOptions);
  return (options: buildConnector.Options, callback: buildConnector.Callback): void =>
    (isAllowed(destinationOf(options), allowed) ? anywhere : checked)(options, callback);
}

/** One answer that is not allowed is enough. */
function assertReachable(
  hostname: string,
  answers: readonly LookupAddress[],
  allowed: Allowed,
): void {
  if (!answers.every(({ address }) => mayReach(address, allowed)))
    throw refusal(hostname, 'leads to an address that is not public');
}

/** As `net.connect` wants it. */
function lookupBy(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (answers) => {
        const [first] = answers;
        if (!first) callback(new Error(`${hostname} has no address`), '');
        else if (options.all) callback(null, answers);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

async function answersInTime(
  answers: Promise<LookupAddress[]>,
  timeoutMs: number,
): Promise<LookupAddress[]> {
  const none: LookupAddress[] = [];
  const late = new Promise<LookupAddress[]>((done) =>
    setTimeout(() => done(none), timeoutMs).unref(),
  );
  return Promise.race([answers.catch(() => none), late]);
}

async function readWhole(response: Response, maxBytes: number): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(BODILESS.has(status) ? null : Buffer.concat(chunks), {
    status,
    statusText,
    headers: [...headers].filter(([name]) => !/^content-(encoding|length)$/.test(name)),
  });
}
