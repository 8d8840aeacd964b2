// Reads the answer to one request out of what an MCP server sends over HTTP, over cut streams (SEP-1699) as well.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../sdk-typescript/src/json.ts';
import { type EventBlock, readEvents } from '../event-reader.ts';
import type { ClientSide } from './client-side.ts';
import { readExact } from './exact-json.ts';
import { getAnswerKey, MESSAGE_BYTES_MAX, type RequestId, toKey } from './messages.ts';
import { unpackBody } from './upstream.ts';

export interface Reading {
  /** The answer; null: there is none that can be read. */
  message: JsonObject | null;
  /** Gives the client what came, as it is; null: nothing came, or it cannot be given in an answer that has begun. */
  relay: (() => Promise<void> | void) | null;
}

export interface Source {
  id: RequestId;
  answer: IncomingMessage;
  client: ClientSide;
  /** Asks for the rest of a stream after an event; null: it is not to be had now. @throws when it never will be */
  resume: (lastId: string) => Promise<IncomingMessage | null>;
  /** Ends the reading of a stream that was cut. */
  signal: AbortSignal;
}

const RETRY_MS = 1_000;
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 60_000;
/** Attempts in a row that bring nothing. */
const FAILURES_MAX = 5;
const LOST: Reading = { message: null, relay: null };

export const isEventStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.includes('text/event-stream') === true;

/** Reads until the answer, and passes on what comes before it. */
export function readReply(source: Source): Promise<Reading> {
  const { answer } = source;
  const isStream = answer.statusCode === 200 && isEventStream(answer);
  return isStream ? readStream(source) : readWhole(source);
}

async function readStream(source: Source): Promise<Reading> {
  const { id, answer, client } = source;
  if (client.streams) client.begin(answer, true);
  let hasCut = false;
  for await (const block of continueEvents(source)) {
    const message = block.data === undefined ? null : findAnswer(block.data, id);
    if (message)
      return {
        message,
        relay: () => (client.streams ? client.end(block.raw) : client.replyText(block.data!)),
      };
    hasCut ||= block.isCut;
    if (client.streams) await client.write(block.raw);
  }
  // What was too long to be read may have been the answer, and the client has it.
  return hasCut ? { message: null, relay: () => client.end() } : LOST;
}

/** Yields the events of a stream, and of those that go on where it was cut. */
async function* continueEvents({ answer, resume, signal }: Source): AsyncGenerator<EventBlock> {
  let last: string | undefined;
  let pause = RETRY_MS;
  let failures = 0;
  for (let open: IncomingMessage | null = answer; ;) {
    try {
      for await (const block of readEvents(
        open ? unpackBody(open) : Readable.from([]),
        MESSAGE_BYTES_MAX,
      )) {
        last = block.id ?? last;
        pause = Math.max(RETRY_MIN_MS, Math.min(block.retry ?? pause, RETRY_MAX_MS));
        failures = 0;
        yield block;
      }
    } catch {
      // The connection was cut.
    }
    if (!last || signal.aborted || ++failures > FAILURES_MAX) return;
    try {
      await sleep(pause, undefined, { signal });
      open = await resume(last);
    } catch {
      return;
    }
  }
}

async function readWhole({ id, answer, client }: Source): Promise<Reading> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body = unpackBody(answer)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (let next = await body.next(); !next.done; next = await body.next()) {
      chunks.push(next.value);
      size += next.value.length;
      if (size > MESSAGE_BYTES_MAX)
        return { message: null, relay: () => passRest(client, answer, { chunks, body }) };
    }
  } catch {
    return LOST;
  }
  const bytes = Buffer.concat(chunks);
  const text = new TextDecoder().decode(bytes);
  const message = findAnswer(text, id);
  if (client.hasBegun) return { message, relay: message && (() => client.replyText(text)) };
  const relay = (): void => {
    client.begin(answer, true);
    client.end(bytes);
  };
  return { message, relay };
}

/** Passes on a body that is too long to be kept. */
async function passRest(
  client: ClientSide,
  answer: IncomingMessage,
  { chunks, body }: { chunks: Uint8Array[]; body: AsyncIterator<Uint8Array> },
): Promise<void> {
  client.begin(answer, true);
  for (const chunk of chunks) await client.write(chunk);
  for (let next = await body.next(); !next.done; next = await body.next())
    await client.write(next.value);
  client.end();
}

/** Finds the answer to a request, which may stand in a list of messages. */
function findAnswer(text: string, id: RequestId): JsonObject | null {
  try {
    const value = readExact(text);
    const messages = Array.isArray(value) ? value : [value];
    const found = messages.find((message) => getAnswerKey(message) === toKey(id));
    return (found as JsonObject | undefined) ?? null;
  } catch {
    return null;
  }
}
