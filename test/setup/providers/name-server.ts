// A real name server on the loopback that knows TXT records and IPv4 addresses.
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface NameServer {
  /** `address:port`. */
  address: string;
  /** Names, lower-cased, with their TXT records. */
  records: Map<string, string[]>;
  /** Names, lower-cased, with their IPv4 addresses. */
  addresses: Map<string, string[]>;
  /** Names that were asked for, in order. */
  asked: string[];
  /** `silent`: does not answer until this changes; `failing`: answers that it cannot. */
  mood: 'well' | 'silent' | 'failing';
  stop(): Promise<void>;
}

const HEADER_BYTES = 12;
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];
const [TYPE_A, TYPE_TXT] = [1, 16];
const CLASS_INTERNET = [0, 1];
const TYPE_AND_CLASS_BYTES = 4;
const POINTER_TO_QUESTION = [0xc0, HEADER_BYTES];
const NO_TTL = [0, 0, 0, 0];

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  let mood: NameServer['mood'] = 'well';
  const pendingAnswers: (() => void)[] = [];
  const server: NameServer = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    records: new Map(),
    addresses: new Map(),
    asked: [],
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
      if (next !== 'silent') for (const answer of pendingAnswers.splice(0)) answer();
    },
    stop: () => new Promise((done) => socket.close(done)),
  };
  socket.on('message', (query, { port, address }) => {
    const question = parseQuestion(query);
    server.asked.push(question.name);
    const answer = (): void => socket.send(createAnswer(server, query, question), port, address);
    if (server.mood === 'silent') pendingAnswers.push(answer);
    else answer();
  });
  return server;
}

interface Question {
  name: string;
  type: number;
  /** Offset of its end in the query. */
  end: number;
}

function createAnswer(server: NameServer, query: Buffer, { name, type, end }: Question): Buffer {
  const question = query.subarray(0, end);
  if (server.mood === 'failing') return encodeAnswer(question, SERVER_FAILURE, []);
  const data =
    type === TYPE_TXT
      ? server.records.get(name)?.map(encodeText)
      : server.addresses.get(name)?.flatMap((one) => (type === TYPE_A ? [encodeAddress(one)] : []));
  if (!data) return encodeAnswer(question, NO_SUCH_NAME, []);
  const records = data.map((one) => encodeRecord(type, one));
  return encodeAnswer(question, NO_ERROR, records);
}

function parseQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  return { name, type: query.readUInt16BE(at + 1), end: at + 1 + TYPE_AND_CLASS_BYTES };
}

function encodeAnswer(question: Buffer, code: number, records: readonly Buffer[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function encodeRecord(type: number, data: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length);
  return Buffer.concat([
    Buffer.from([...POINTER_TO_QUESTION, 0, type, ...CLASS_INTERNET, ...NO_TTL]),
    length,
    data,
  ]);
}

/** A text of more than 255 bytes comes in several parts. */
function encodeText(text: string): Buffer {
  const parts = (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
    Buffer.from([part.length, ...Buffer.from(part)]),
  );
  return Buffer.concat(parts);
}

const encodeAddress = (address: string): Buffer => Buffer.from(address.split('.').map(Number));
