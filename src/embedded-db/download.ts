// Fetches one file over HTTP onto the disk, hashing it on the way and giving up on a silent host.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What to fetch and where to put it. */
export interface DownloadRequest {
  url: string;
  file: string;
  /** Milliseconds until the first answer; once it talks, the host may pause ten times as long. */
  timeoutMs: number;
  /** Told at every whole tenth of the way, in bytes; needs a host that states the length. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Writes the body of `url` to `file`.
 * @returns the SHA-256 of what was written, in lower-case hex.
 * @throws Error with a readable reason: refused, silent, not 2xx, cut short.
 */
export async function download({
  url,
  file,
  timeoutMs,
  onProgress,
}: DownloadRequest): Promise<string> {
  const hash = createHash('sha256');
  await answer(url, timeoutMs, async (response, heard) => {
    const total = Number(response.headers.get('content-length'));
    const progress = tenths(total, onProgress);
    await pipeline(
      Readable.fromWeb(bodyOf(response)),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          heard();
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
 * Reads a short text (a checksum file, an index page).
 * @throws Error as `download` does.
 */
export async function downloadText(url: string, timeoutMs: number): Promise<string> {
  return answer(url, timeoutMs, (response) => response.text());
}

type Reader<T> = (response: Response, heard: () => void) => Promise<T>;

async function answer<T>(url: string, timeoutMs: number, read: Reader<T>): Promise<T> {
  const silence = new AbortController();
  const giveUpAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => silence.abort(new Error(`no answer within ${ms / 1000} s`)), ms);
  let timer = giveUpAfter(timeoutMs);
  try {
    const response = await fetch(url, { signal: silence.signal });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    clearTimeout(timer);
    timer = giveUpAfter(10 * timeoutMs);
    return await read(response, () => timer.refresh());
  } catch (error) {
    throw new Error(
      `${new URL(url).host} ${silence.signal.aborted ? String(silence.signal.reason.message) : why(error)}`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

function bodyOf(response: Response): NonNullable<Response['body']> {
  if (response.body === null) throw new Error('answered without a body');
  return response.body;
}

function tenths(total: number, report: DownloadRequest['onProgress']): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    const before = Math.floor((10 * done) / total);
    done += bytes;
    if (total > 0 && Math.floor((10 * done) / total) > before) report?.(done, total);
  };
}

/** `fetch` hides its reason in the cause, sometimes in a list of causes (one for each address). */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return why(error.errors[0]);
  return error.cause === undefined ? error.message : `${error.message}: ${why(error.cause)}`;
}
