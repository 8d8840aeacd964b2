// Asks the Workload API of SPIFFE for a JWT-SVID: one call of gRPC, whose messages have three members.
import type { ClientHttp2Session } from 'node:http2';
import { Invalid, Unauthorised, Unavailable } from './errors.ts';

interface Wanted {
  audience: string;
  /** Which of the workload's identities; absent: the first. */
  spiffeId: string | undefined;
}

const METHOD = '/SpiffeWorkloadAPI/FetchJWTSVID';
const TIMEOUT_MS = 10_000;
const BYTES_MAX = 1024 * 1024;
/** Bytes of a frame before its message: whether it is compressed, and its length. */
const FRAME_HEAD = 5;
const PERMISSION_DENIED = 7;

/**
 * Returns a JWT-SVID of this workload.
 * @throws Unauthorised where it has none, Unavailable without an answer
 */
export async function fetchJwtSvid(address: string, wanted: Wanted): Promise<string> {
  const { connect } = await import('node:http2');
  const net = await import('node:net');
  const target = parseAddress(address);
  const session = connect('http://localhost', { createConnection: () => net.connect(target) });
  try {
    const { bytes, status, message } = await call(session, frame(encodeRequest(wanted)));
    if (status === PERMISSION_DENIED)
      throw new Unauthorised(message || 'The workload has no identity', { code: 'NO_SVID' });
    const [svid] = status === 0 ? decodeSvids(bytes) : [];
    if (svid !== undefined) return svid;
    throw new Unavailable(`The Workload API gives no JWT-SVID: status ${status} ${message}`);
  } finally {
    session.destroy();
  }
}

/** The address of SPIFFE_ENDPOINT_SOCKET: a path, or an address and a port. */
function parseAddress(address: string): { path: string } | { host: string; port: number } {
  const [, path] = /^unix:(?:\/\/)?(\/.+)$/.exec(address) ?? [];
  if (path !== undefined) return { path };
  const [, host, port] = /^tcp:\/\/\[?([0-9a-fA-F.:]+?)\]?:(\d+)$/.exec(address) ?? [];
  if (host !== undefined) return { host, port: Number(port) };
  throw new Invalid(`The Workload API is at unix:///PATH or tcp://IP:PORT: ${address}`);
}

interface Answered {
  bytes: Uint8Array;
  status: number;
  message: string;
}

function call(session: ClientHttp2Session, body: Uint8Array): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void => {
      clearTimeout(timer);
      reject(new Unavailable('The Workload API does not answer', { code: 'NO_ANSWER', cause }));
    };
    const timer = setTimeout(fail, TIMEOUT_MS);
    session.once('error', fail);
    const stream = session.request({
      ':method': 'POST',
      ':path': METHOD,
      'content-type': 'application/grpc',
      te: 'trailers',
      'workload.spiffe.io': 'true',
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    let said: Record<string, unknown> = {};
    // A refusal without a message has its status in the head.
    const listen = (headers: Record<string, unknown>): void =>
      void (said = { ...said, ...headers });
    stream.on('response', listen).on('trailers', listen).once('error', fail);
    stream.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > BYTES_MAX) fail();
      else chunks.push(chunk);
    });
    stream.once('close', () => {
      clearTimeout(timer);
      const { 'grpc-status': status = -1, 'grpc-message': message = '' } = said;
      resolve({ bytes: join(chunks), status: Number(status), message: decodeText(message) });
    });
    stream.end(body);
  });
}

/** A message of gRPC has characters beyond ASCII as in an address. */
function decodeText(text: unknown): string {
  try {
    return decodeURIComponent(String(text));
  } catch {
    return String(text);
  }
}

const AUDIENCE = 1;
const SPIFFE_ID = 2;
const SVIDS = 1;
const TOKEN = 2;

const encodeRequest = ({ audience, spiffeId }: Wanted): Uint8Array =>
  join([
    encodeField(AUDIENCE, audience),
    ...(spiffeId === undefined ? [] : [encodeField(SPIFFE_ID, spiffeId)]),
  ]);

/** The tokens of an answer, in its order. @throws Unavailable for what is no such message */
function decodeSvids(bytes: Uint8Array): string[] {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWhole = bytes.length >= FRAME_HEAD && length.getUint32(1) === bytes.length - FRAME_HEAD;
  if (!isWhole || bytes[0] !== 0) throw createNoMessage();
  return readFields(bytes.subarray(FRAME_HEAD), SVIDS).flatMap((svid) =>
    readFields(svid, TOKEN).map((token) => new TextDecoder().decode(token)),
  );
}

function frame(message: Uint8Array): Uint8Array {
  const head = new Uint8Array(FRAME_HEAD);
  new DataView(head.buffer).setUint32(1, message.length);
  return join([head, message]);
}

const createNoMessage = (): Unavailable =>
  new Unavailable('What answers is no Workload API', { code: 'NOT_SPIFFE' });

// Protocol Buffers: a field begins with its number and kind, and a text with its length.
const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

function encodeField(number: number, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return join([Uint8Array.of(number * 8 + DELIMITED, ...encodeVarint(bytes.length)), bytes]);
}

function encodeVarint(value: number): number[] {
  const rest = Math.floor(value / 128);
  return rest === 0 ? [value] : [(value % 128) + 128, ...encodeVarint(rest)];
}

/** The values of the field with this number that have a length; other fields are passed over. */
function readFields(bytes: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  let at = 0;
  const readVarint = (): number => {
    for (let value = 0, factor = 1; factor < 2 ** 49; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
    throw createNoMessage();
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const kind = tag % 8;
    const sizes = { [FIXED_64]: 8, [FIXED_32]: 4 } as Record<number, number>;
    if (kind === VARINT) readVarint();
    else {
      const size = kind === DELIMITED ? readVarint() : sizes[kind];
      if (size === undefined || at + size > bytes.length) throw createNoMessage();
      const isMeant = kind === DELIMITED && Math.floor(tag / 8) === number;
      if (isMeant) found.push(bytes.subarray(at, at + size));
      at += size;
    }
  }
  return found;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
