// A real name server on the loopback that knows TXT records, for the verification of domains.
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface NameServer {
  /** `address:port`. */
  address: string;
  /** Names, lower-cased, with their TXT records. */
  records: Map<string, string[]>;
  /** Names that were asked for, in order. */
  asked: string[];
  /** `silent`: does not answer; `failing`: answers that it cannot. */
  mood: 'well' | 'silent' | 'failing';
  stop(): Promise<void>;
}

const HEADER_BYTES = 12;
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];
/** Of TXT in the class of the internet. */
const TYPE_AND_CLASS = [0, 16, 0, 1];
const POINTER_TO_QUESTION = [0xc0, HEADER_BYTES];
const NO_TTL = [0, 0, 0, 0];

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  let mood: NameServer['mood'] = 'well';
  const server: NameServer = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    records: new Map(),
    asked: [],
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
    },
    stop: () => new Promise((done) => socket.close(done)),
  };
  socket.on('message', (query, { port, address }) => {
    const { name, end } = questionOf(query);
    server.asked.push(name);
    if (server.mood === 'silent') return;
    const texts = server.records.get(name);
    const question = query.subarray(0, end);
    const refusal = server.mood === 'failing' ? SERVER_FAILURE : NO_SUCH_NAME;
    const isAnswered = texts !== undefined && server.mood !== 'failing';
    const answer = isAnswered
      ? answerTo(question, NO_ERROR, texts)
      : answerTo(question, refusal, []);
    socket.send(answer, port, address);
  });
  return server;
}

function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 + TYPE_AND_CLASS.length };
}

function answerTo(question: Buffer, code: number, texts: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(texts.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...texts.map(recordOf)]);
}

/** A text of more than 255 bytes comes in several parts. */
function recordOf(text: string): Buffer {
  const parts = (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
    Buffer.from([part.length, ...Buffer.from(part)]),
  );
  const data = Buffer.concat(parts);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length);
  return Buffer.concat([
    Buffer.from([...POINTER_TO_QUESTION, ...TYPE_AND_CLASS, ...NO_TTL]),
    length,
    data,
  ]);
}
