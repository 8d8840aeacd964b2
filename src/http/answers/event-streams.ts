// Serves event streams (SSE): sends frames and heartbeats, ends streams, and cuts readers that are too slow.
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import {
  type EventChannel,
  formatEventFrame,
  type EventStream,
  READERS_IN_TURN,
} from '../../domain/event-stream.ts';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { toFailureEnvelope, sendFailure } from './envelope.ts';
import { limitEntries } from '../../domain/entry-limit.ts';

export interface EventStreams {
  /** Answers with a stream; `credential` is the one in the query. */
  serve(res: Response, credential: string, stream: EventStream): void;
  /** Answers an invalid credential with an error event; the same one again gets 204, which ends retries. */
  refuse(res: Response, credential: string): void;
  /** Ends all streams, so that their readers reconnect elsewhere, and refuses new ones. */
  close(): void;
}

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(':\n\n');
/** Tells a browser to reconnect after two seconds. */
const RETRY = 'retry: 2000\n\n';
/** Bytes buffered for a slow reader before it is cut; readers of one organisation share the buffers. */
const BEHIND_BYTES = 4 * 1024 * 1024;
/** Remembers rejected credentials, so that a reconnect gets 204. */
const REJECTED = { ...limitEntries(10_000), ttl: 60_000 };

const INVALID = new AppError('INVALID_STREAM_TOKEN');
const INVALID_FRAME = formatEventFrame('error', JSON.stringify(toFailureEnvelope(INVALID)));

class Channel implements EventChannel {
  readonly #res: Response;
  readonly #onRevoked: () => void;
  #isFull = false;
  readonly #onTaken: (() => void)[] = [];

  constructor(res: Response, onRevoked: () => void) {
    this.#res = res;
    this.#onRevoked = onRevoked;
    const releaseWaiters = (): void => {
      this.#isFull = false;
      for (const resolve of this.#onTaken.splice(0)) resolve();
    };
    res.on('drain', releaseWaiters).on('close', releaseWaiters);
  }

  get isOpen(): boolean {
    return !this.#res.writableEnded && !this.#res.destroyed;
  }

  send(frame: Buffer): void {
    if (!this.isOpen) return;
    if (this.#res.writableLength > BEHIND_BYTES) this.#res.destroy();
    else this.#isFull = !this.#res.write(frame);
  }

  sendHeartbeat(): void {
    if (this.isOpen && this.#res.writableLength === 0) this.#res.write(HEARTBEAT);
  }

  async waitForDrain(): Promise<void> {
    if (this.#isFull && this.isOpen)
      await new Promise<void>((resolve) => void this.#onTaken.push(resolve));
  }

  disconnect(): void {
    this.#res.destroy();
  }

  revoke(): void {
    if (!this.isOpen) return;
    this.#onRevoked();
    this.#res.end(INVALID_FRAME);
  }

  close(): void {
    this.#res.end();
  }
}

export function createEventStreams(): EventStreams {
  const channels = new Set<Channel>();
  const rejected = new LRUCache<string, true>(REJECTED);
  let isClosed = false;
  async function sendHeartbeats(): Promise<void> {
    const yielding = new PeriodicYield(READERS_IN_TURN);
    for (const channel of [...channels]) {
      channel.sendHeartbeat();
      await yielding.addWork(1);
    }
  }
  const heartbeatTimer = setInterval(() => void sendHeartbeats(), HEARTBEAT_MS).unref();
  const rememberRejected = (credential: string): void =>
    void rejected.set(sha256Hex(credential), true);

  return {
    serve(res, credential, stream) {
      const isOver = isClosed || res.closed || res.req.method === 'HEAD';
      if (isOver) stream.stop();
      if (isClosed) return sendFailure(res, new AppError('SERVICE_UNAVAILABLE'));
      beginStream(res);
      if (isOver) return void res.end();
      const channel = new Channel(res, () => rememberRejected(credential));
      channels.add(channel);
      res.once('close', () => {
        channels.delete(channel);
        stream.stop();
      });
      stream.start(channel);
    },
    refuse(res, credential) {
      if (rejected.has(sha256Hex(credential))) return void res.status(204).end();
      rememberRejected(credential);
      beginStream(res);
      res.end(INVALID_FRAME);
    },
    close() {
      isClosed = true;
      clearInterval(heartbeatTimer);
      for (const channel of channels) channel.close();
    },
  };
}

/**
 * Sends the head: no proxy and no compression may buffer events. The stream ends with its connection: without chunks a
 * write costs a quarter less (row beside-streams).
 */
function beginStream(res: Response): void {
  res.setHeader('Connection', 'close');
  res.removeHeader('Transfer-Encoding');
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store, no-transform');
  res.setHeader('X-Accel-Buffering', 'no');
  res.status(200).write(RETRY);
}
