// A client in a process of its own that sends the same requests over and over, from an address of its own.
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface AttackRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** `$n` becomes a number that no other request has. */
  body?: string;
  /** Closes the connection after this time, in milliseconds, whatever has been answered. */
  leaveMs?: number;
}

export interface AttackOrders {
  url: string;
  requests: readonly AttackRequest[];
  connections: number;
}

/** What the process reports: answers by status, and requests that were closed (`left`) or failed. */
export type AttackReport = Record<string, number>;

/** Of another network than 127.0.0.1, since some queues rotate by network. */
const ADDRESS = '127.0.9.9';
const REPORT_MS = 100;
/** Pause after a refusal; the default rate limits allow far less than one request in this time. */
const REFUSED_MS = 50;
const REFUSED = new Set(['failed', '400', '409', '429', '503']);
const [orders] = (await once(process, 'message')) as [AttackOrders];
const dispatcher = new Agent({
  localAddress: ADDRESS,
  connections: orders.connections,
  bodyTimeout: 0,
  headersTimeout: 0,
});
const report: AttackReport = {};
let sent = 0;

async function send({ method, path, headers, body, leaveMs }: AttackRequest): Promise<string> {
  const signal = leaveMs === undefined ? undefined : AbortSignal.timeout(leaveMs);
  try {
    const answer = await request(orders.url + path, {
      dispatcher,
      method,
      ...(headers && { headers }),
      ...(signal && { signal }),
      body: body?.replaceAll('$n', String((sent += 1))) ?? null,
    });
    for await (const chunk of answer.body) void chunk;
    return String(answer.statusCode);
  } catch {
    return signal?.aborted ? 'left' : 'failed';
  }
}

async function attack(first: number): Promise<never> {
  for (let at = first; ; at += 1) {
    const next = orders.requests[at % orders.requests.length];
    const outcome = next ? await send(next) : 'failed';
    report[outcome] = (report[outcome] ?? 0) + 1;
    if (REFUSED.has(outcome)) await sleep(REFUSED_MS);
  }
}

// The server, not this client, is what the other organisation shares.
setPriority(Math.min(19, getPriority() + 10));
setInterval(() => process.send?.(report), REPORT_MS);
process.on('disconnect', () => process.exit(0));
await Promise.all(Array.from({ length: orders.connections }, (_, at) => attack(at)));
