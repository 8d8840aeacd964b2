// Downloads a file over HTTP, hashing it on the way; gives up on a silent host.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface DownloadRequest {
  url: string;
  file: string;
  /** Until the response begins; afterwards the host may pause ten times as long. */
  timeoutMs: number;
  /** Called after every tenth, in bytes, when the host sends a content length. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Writes the body of `url` to `file`.
 * @returns its SHA-256 in lower-case hex
 * @throws Error with a readable reason: refused, silent, not 2xx, cut short
 */
export async function fetchFile({
  url,
  file,
  timeoutMs,
  onProgress,
}: DownloadRequest): Promise<string> {
  const hash = createHash('sha256');
  await request(url, timeoutMs, async (response, onData) => {
    const total = Number(response.headers.get('content-length'));
    const progress = reportTenths(total, onProgress);
    await pipeline(
      Readable.fromWeb(requireBody(response)),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          onData();
          hash.update(chunk);
          progress(chunk.length);
          yield chunk;
        }
      },
      createWriteStream(file),
    );
  });
  return hash.digest('hex');
}

/**
 * Reads a short text, such as a checksum file.
 * @throws Error like `fetchFile`
 */
export async function fetchText(url: string, timeoutMs: number): Promise<string> {
  return request(url, timeoutMs, (response) => response.text());
}

type Reader<T> = (response: Response, onData: () => void) => Promise<T>;

async function request<T>(url: string, timeoutMs: number, read: Reader<T>): Promise<T> {
  const silence = new AbortController();
  const giveUpAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => silence.abort(new Error(`no response within ${ms / 1000} s`)), ms);
  let timer = giveUpAfter(timeoutMs);
  try {
    const response = await fetch(url, { signal: silence.signal });
    if (!response.ok) throw new Error(`responded ${response.status}`);
    clearTimeout(timer);
    timer = giveUpAfter(10 * timeoutMs);
    return await read(response, () => timer.refresh());
  } catch (error) {
    throw new Error(
      `${new URL(url).host} ${silence.signal.aborted ? String(silence.signal.reason.message) : describeReason(error)}`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

function requireBody(response: Response): NonNullable<Response['body']> {
  if (response.body === null) throw new Error('responded without a body');
  return response.body;
}

function reportTenths(
  total: number,
  report: DownloadRequest['onProgress'],
): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    const before = Math.floor((10 * done) / total);
    done += bytes;
    if (total > 0 && Math.floor((10 * done) / total) > before) report?.(done, total);
  };
}

/** `fetch` hides the reason in the cause, or in a list of causes, one for each address. */
function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return describeReason(error.errors[0]);
  return error.cause === undefined
    ? error.message
    : `${error.message}: ${describeReason(error.cause)}`;
}
