// HTTP requests to URLs that users name: to permitted destinations only (SSRF protection), bounded in time and size.
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import {
  isAllowed,
  mayReach,
  toDestination,
  readAllowed,
  findUrlProblem,
  type Allowed,
} from '../../domain/outbound/ssrf.ts';
import { AppError } from '../../errors.ts';
import { awaitWithin, backgroundTimer, limitTime } from '../concurrency/timer.ts';
import { createDns } from './dns.ts';

/** Resolves a host name to all of its addresses; rejects when it has none. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The options of `fetch`; an undefined member counts as absent. */
type RequestOptions = { [K in keyof RequestInit]?: RequestInit[K] | undefined };

export interface SafeHttp {
  /**
   * Like `fetch`, but follows no redirects, uses no proxy, and resolves when the body has been read.
   * @throws AppError `SSRF_BLOCKED` before connecting; `TimeoutError`; Error for a response that is too large
   */
  fetch(url: string, options?: RequestOptions): Promise<Response>;
  /** Checks a URL without resolving its host, for URLs that browsers open. @throws AppError `SSRF_BLOCKED` */
  inspect(url: string): void;
  /**
   * Checks a URL and the addresses of its host, so that a bad one is refused when it is saved. An unknown host passes:
   * `fetch` checks every connection.
   * @throws AppError `SSRF_BLOCKED`
   */
  check(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Statuses of responses without a body. */
const BODILESS = new Set([101, 204, 205, 304]);

const createBlockedError = (subject: string, problem: string): AppError =>
  new AppError('SSRF_BLOCKED', `${subject} ${problem}`);
/** Hint for operators: a host on the allow-list may be private and may lack TLS. */
const HTTP_HINT = ', unless the installation names its host (ASSAY_OUTBOUND_ALLOW)';
/** Reads the hosts file too, but uses a thread of the small libuv pool: only for hosts on the allow-list. */
const resolveWithSystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

export interface SafeHttpOptions {
  /** Hosts, hosts with a port, addresses and subnets that may be private and reached over http. */
  allow: readonly string[];
  /** Timeout of the whole exchange. */
  timeoutMs: number;
  /** Upper bound on the decoded response body. */
  maxBytes: number;
  /** A longer or incomplete body fails the request (`refuse`, the default) or is truncated (`cut`). */
  longBody?: 'refuse' | 'cut';
  /** Name servers for hosts that `allow` does not list; empty: the system's. */
  dnsServers?: readonly string[];
  /** Replaces both resolvers in tests. */
  resolve?: Resolve;
}

export function createSafeHttp({
  allow,
  timeoutMs,
  maxBytes,
  longBody = 'refuse',
  dnsServers = [],
  resolve,
}: SafeHttpOptions): SafeHttp {
  const allowed = readAllowed(allow);
  const resolveListed = resolve ?? resolveWithSystem;
  const resolveOther = resolve ?? createDns({ servers: dnsServers, timeoutMs }).resolveAddresses;
  const connect = createConnector({ allowed, resolveListed, resolveOther, timeoutMs });
  const dispatcher = new Agent({ connect });

  function inspect(url: string): void {
    const problem = findUrlProblem(url, allowed);
    if (problem === null) return;
    const hint = url.startsWith('http:') ? HTTP_HINT : '';
    throw createBlockedError('The address', problem + hint);
  }

  return {
    inspect,
    async check(url) {
      inspect(url);
      const destination = toDestination(new URL(url));
      if (isAllowed(destination, allowed)) return;
      const { hostname } = destination;
      assertPublic(hostname, await awaitAddresses(resolveOther(hostname), timeoutMs), allowed);
    },
    async fetch(url, options = {}) {
      inspect(url);
      return limitTime(timeoutMs, options.signal, async (signal) => {
        // The types differ in name only: Node's fetch is an older undici.
        const request = { ...options, signal, redirect: 'manual', dispatcher } as Parameters<
          typeof undiciFetch
        >[1];
        try {
          const response = (await undiciFetch(url, request)) as unknown as Response;
          return await (longBody === 'cut' ? readStart : readWhole)(response, maxBytes);
        } catch (error) {
          const { cause } = error as { cause?: unknown };
          throw cause instanceof AppError ? cause : error;
        }
      });
    },
    close: () => dispatcher.destroy(),
  };
}

/** Opens connections, checking what a host name resolves to. Literal addresses are not looked up: `inspect` checks them. */
function createConnector({
  allowed,
  resolveListed,
  resolveOther,
  timeoutMs,
}: {
  allowed: Allowed;
  resolveListed: Resolve;
  resolveOther: Resolve;
  timeoutMs: number;
}) {
  const createResolvingConnector = (resolver: Resolve): buildConnector.connector =>
    buildConnector({
      timeout: timeoutMs,
      lookup: createLookup(resolver),
    } as buildConnector.BuildOptions);
  const unchecked = createResolvingConnector(resolveListed);
  const checked = createResolvingConnector(async (hostname) => {
    const addresses = await resolveOther(hostname);
    assertPublic(hostname, addresses, allowed);
    return addresses;
  });
  return (options: buildConnector.Options, callback: buildConnector.Callback): void =>
    (isAllowed(toDestination(options), allowed) ? unchecked : checked)(options, callback);
}

/** A single address that is not permitted is enough to refuse. */
function assertPublic(
  hostname: string,
  addresses: readonly LookupAddress[],
  allowed: Allowed,
): void {
  if (!addresses.every(({ address }) => mayReach(address, allowed)))
    throw createBlockedError(hostname, 'resolves to an address that is not public');
}

/** Creates a look-up function for `net.connect`. */
function createLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(new Error(`${hostname} has no address`), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

/** No addresses when the look-up fails or takes too long. */
const awaitAddresses = (
  lookup: Promise<LookupAddress[]>,
  timeoutMs: number,
): Promise<LookupAddress[]> =>
  awaitWithin<LookupAddress[]>(backgroundTimer, timeoutMs, {
    work: lookup.catch(() => []),
    onTimeout: () => [],
  });

async function readWhole(response: Response, maxBytes: number): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return replaceBody(response, Buffer.concat(chunks));
}

/** Reads at most `maxBytes` of the body; a broken connection truncates it. */
async function readStart(response: Response, maxBytes: number): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      if ((bytes += chunk.byteLength) >= maxBytes) break;
    }
  } catch {
    // The status has arrived, which is enough.
  }
  return replaceBody(response, Buffer.concat(chunks).subarray(0, maxBytes));
}

function replaceBody({ status, statusText, headers }: Response, body: Buffer): Response {
  return new Response(BODILESS.has(status) ? null : body, {
    status,
    statusText,
    headers: [...headers].filter(([name]) => !/^content-(encoding|length)$/.test(name)),
  });
}
