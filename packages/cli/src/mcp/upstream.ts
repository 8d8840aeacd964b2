// Requests to an MCP server over HTTP, and their answers as they come: no redirect is followed, no limit is set.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

export interface UpstreamRequest {
  method: string;
  headers: Record<string, string | string[]>;
  body?: string | undefined;
  signal: AbortSignal;
}

/** The server was not reached, so nothing of the request has arrived there. */
export class NotReached extends Error {}

/** Headers of one hop (RFC 9110, 7.6.1). */
export const HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Sends a request, on a connection of its own.
 * @throws NotReached, or another Error when the connection was lost after it was made
 */
export async function sendUpstream(url: string, sent: UpstreamRequest): Promise<IncomingMessage> {
  const { method, body, signal } = sent;
  const headers = { ...sent.headers };
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const isSecure = new URL(url).protocol === 'https:';
  const send = isSecure ? requestHttps : requestHttp;
  // A connection that was used before may be closed by the server at the moment of the call.
  const request = send(url, { method, headers, signal, agent: false });
  let isConnected = false;
  request.once('socket', (socket: TLSSocket) =>
    socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true)),
  );
  request.end(body);
  try {
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return answer;
  } catch (error) {
    if (isConnected) throw error;
    throw new NotReached((error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}

/** Returns the body of an answer as it was before it was packed for the way. */
export function unpackBody(answer: IncomingMessage): Readable {
  const coding = answer.headers['content-encoding'] ?? 'identity';
  if (coding === 'identity') return answer;
  const unpacked = coding === 'br' ? createBrotliDecompress() : createUnzip();
  // What cannot be unpacked fails where it is read.
  return pipeline(answer, unpacked, () => undefined);
}

/** The headers of an answer for its client, in pairs as they came; `isUnpacked`: its body is given unpacked. */
export function listHeaders(
  { rawHeaders }: IncomingMessage,
  isUnpacked: boolean,
): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const isChanged = isUnpacked && (name === 'content-encoding' || name === 'content-length');
    if (HOP.has(name) || isChanged) continue;
    found.set(name, [...(found.get(name) ?? []), rawHeaders[at + 1]!]);
  }
  return [...found];
}
