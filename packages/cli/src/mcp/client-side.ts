// The client's end of one HTTP request: messages of the proxy's own, and what the server answers, as it came.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { JsonObject } from '../../../sdk-typescript/src/json.ts';
import { writeExact } from './exact-json.ts';
import { listHeaders } from './upstream.ts';

export class ClientSide {
  readonly #res: ServerResponse;
  /** Whether the client takes events. */
  readonly streams: boolean;

  constructor({ req, res }: { req: IncomingMessage; res: ServerResponse }) {
    this.#res = res;
    this.streams = String(req.headers.accept).includes('text/event-stream');
  }

  /** Whether an answer has begun: its status cannot be changed any more. */
  get hasBegun(): boolean {
    return this.#res.headersSent;
  }

  /** Sends a message beside the answer, where the client takes more than one. */
  notify(message: JsonObject): void {
    if (!this.streams) return;
    if (!this.hasBegun)
      this.#res.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
      });
    this.#res.write(toEvent(writeExact(message)));
  }

  /** Ends the answer with a message. */
  reply(message: JsonObject): void {
    this.replyText(writeExact(message));
  }

  /** Ends the answer with the text of a message. */
  replyText(text: string): void {
    if (this.hasBegun) this.#res.end(toEvent(text));
    else this.#res.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  /** Begins with the status and the headers of the server's answer. */
  begin(answer: IncomingMessage, isUnpacked: boolean): void {
    if (this.hasBegun) return;
    for (const [name, values] of listHeaders(answer, isUnpacked))
      this.#res.setHeader(name, values.length === 1 ? values[0]! : values);
    this.#res.writeHead(answer.statusCode ?? 502);
  }

  /** Passes bytes on, at the client's pace; a client that has left gets none. */
  async write(bytes: Uint8Array): Promise<void> {
    const res = this.#res;
    if (res.destroyed || res.write(bytes)) return;
    const written = new AbortController();
    const { signal } = written;
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
    written.abort();
  }

  end(bytes?: Uint8Array): void {
    if (!this.#res.destroyed) this.#res.end(bytes);
  }
}

/** Each line of a message has a field of its own. */
const toEvent = (text: string): string =>
  `event: message\n${text
    .split(/\r\n|\n|\r/)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
