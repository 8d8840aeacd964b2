// Clients that post decisions until each is answered, whatever happens to the instances.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './apps.ts';

/** An answer that a client was given and relies on. */
export interface Acknowledged {
  key: string;
  body: object;
  status: number;
  traceId: string;
  verdict: string;
  receipt: { sequence: number; chainHash: string; salt: string };
  createdAt: string;
}

/** An answer with the promise that came with it; a repeated request has a new promise for the same entry. */
interface Answer {
  acknowledged: Acknowledged;
  promised: Promised | null;
}

/** The part of an answer that is handed in to check its promise. */
export interface Promised {
  sequence: number;
  chainHash: string;
  promise: object;
}

export interface LoadParts {
  apps: readonly App[];
  apiKey: string;
  agentId: string;
  clients: number;
  /** Pause of a client after each answer; none by default. */
  pauseMs?: number;
}

const ACTIONS = ['reply', 'reply', 'reply', 'refund', 'wire'] as const;
const ANSWER_MS = 15_000;
const PAUSE_MS = 40;
const VERDICTS = new Set([201, 202, 403]);
let made = 0;

/** Creates a unique decision that is approved, held for review (`refund`) or blocked (`wire`). */
function decision(agentId: string): { key: string; body: object } {
  const number = ++made;
  const action = ACTIONS[number % ACTIONS.length];
  return {
    key: `key-${process.pid}-${number}`,
    body: {
      agentId,
      inputContext: { prompt: `Case ${number}` },
      outputDecision: { action, rationale: `Because case ${number} asks for it.` },
    },
  };
}

/** Posts a decision once; null when there is no reliable verdict. */
export async function post(
  url: string,
  apiKey: string,
  posted: { key: string; body: object },
): Promise<Acknowledged | null> {
  return (await postForAnswer(url, apiKey, posted))?.acknowledged ?? null;
}

async function postForAnswer(
  url: string,
  apiKey: string,
  { key, body }: { key: string; body: object },
): Promise<Answer | null> {
  try {
    const response = await fetch(`${url}/api/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const answer = (await response.json()) as {
      data?: {
        traceId: string;
        status: string;
        hashChain: Acknowledged['receipt'] & { promise: object | null };
        createdAt: string;
      };
    };
    if (!VERDICTS.has(response.status) || !answer.data) return null;
    const { traceId, status: verdict, hashChain, createdAt } = answer.data;
    const { sequence, chainHash, salt, promise } = hashChain;
    const receipt = { sequence, chainHash, salt };
    const { status } = response;
    return {
      acknowledged: { key, body, status, traceId, verdict, receipt, createdAt },
      promised: promise && { sequence, chainHash, promise },
    };
  } catch {
    return null;
  }
}

export class Load {
  readonly acknowledged: Acknowledged[] = [];
  /** The promises of the acknowledged decisions. */
  readonly promised: Promised[] = [];
  readonly #parts: LoadParts;
  #running: Promise<void>[] = [];
  #stopped = false;
  #abandoned = false;
  #turn = 0;

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#stopped = false;
    this.#running = Array.from({ length: this.#parts.clients }, () => this.#client());
  }

  /** Stops the load; resolves when every decision that was begun is answered. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  /** Gives up unanswered decisions after a failure. */
  abandon(): void {
    this.#stopped = true;
    this.#abandoned = true;
  }

  /** Resolves when `count` more decisions were answered. */
  async progress(count: number): Promise<void> {
    const goal = this.acknowledged.length + count;
    while (this.acknowledged.length < goal && !this.#abandoned) await sleep(10);
  }

  async #client(): Promise<void> {
    while (!this.#stopped) {
      const answer = await this.#insist(decision(this.#parts.agentId));
      if (!answer) continue;
      this.acknowledged.push(answer.acknowledged);
      if (answer.promised) this.promised.push(answer.promised);
      if (this.#parts.pauseMs) await sleep(this.#parts.pauseMs);
    }
  }

  /** Posts the same key repeatedly, on any instance that is up, until there is a verdict. */
  async #insist(posted: { key: string; body: object }): Promise<Answer | null> {
    while (!this.#abandoned) {
      const urls = this.#parts.apps.flatMap(({ url }) => (url === null ? [] : [url]));
      const url = urls[this.#turn++ % Math.max(1, urls.length)];
      const answer =
        url === undefined ? null : await postForAnswer(url, this.#parts.apiKey, posted);
      if (answer) return answer;
      await sleep(PAUSE_MS);
    }
    return null;
  }
}
