// Downloads a bundle into a file, which is there only when it is whole, and one of Assay.
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { CommandFailure, toLine } from './output.ts';
import type { Session } from './session.ts';

/** How a kind of bundle is told from what else may answer. */
export interface BundleKind {
  mediaType: string;
  isGzip: boolean;
  begins: RegExp;
  /** What the last bytes match, which a cut bundle does not have. */
  ends: RegExp;
}

/** One JSON document in lines, as docs/reference/formats.md describes it. */
export const CHAIN_BUNDLE: BundleKind = {
  mediaType: 'application/json',
  isGzip: false,
  begins: /^\{"format":"assay-bundle","version":\d+,/,
  ends: /"end":\{"count":\d+,"chainHash":(null|"[0-9a-f]{64}")\}\}\n$/,
};

/** A tar archive, whose first file is the manifest and whose last blocks are empty. */
export const AUDIT_BUNDLE: BundleKind = {
  mediaType: 'application/gzip',
  isGzip: true,
  begins: /^manifest\.json\0[^]{243}ustar[^]+"format": "assay-audit-bundle"/,
  ends: /\0{1024}$/,
};

const BUSY_ATTEMPTS = 5;
/** Bytes at either end that show what a file is. */
const SEEN_BYTES = 16_384;

/** Resolves when the bundle is in the file. @throws CommandFailure where no whole bundle came: the file is as it was */
export async function downloadBundle(
  session: Session,
  path: string,
  { file, kind }: { file: string; kind: BundleKind },
): Promise<void> {
  const target = await findTarget(resolve(session.io.cwd, file));
  const answer = await request(session, path);
  const { status, headers, body } = answer;
  const type = headers.get('content-type')?.split(';')[0]!.trim().toLowerCase();
  if (status !== 200 || type !== kind.mediaType || !body) {
    await body?.cancel();
    throw new CommandFailure(`${session.profile.url} did not answer with a bundle of Assay`);
  }
  const made = `${target}.${randomUUID()}`;
  try {
    const source = Readable.fromWeb(body as ReadableStream);
    await pipeline(source, createWriteStream(made, { mode: 0o600, flags: 'wx' }));
    await requireWhole(made, kind);
    await rename(made, target);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`The download was cut short: ${(error as Error).message}`);
  } finally {
    await rm(made, { force: true });
  }
}

/** Returns the path behind links. @throws CommandFailure for what cannot be replaced */
async function findTarget(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found && !found.isFile()) throw new CommandFailure(`${path} is not a file`);
  return found ? realpath(path) : path;
}

/** Asks until the service is not busy. @throws CommandFailure */
async function request({ profile: { url, token } }: Session, path: string): Promise<Response> {
  if (token === undefined) throw new CommandFailure('Sign in first: assay login');
  for (let attempt = 1; ; attempt++) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(url + path, { headers, redirect: 'manual' });
    const { status, ok } = answer;
    if (ok) return answer;
    if (status >= 300 && status < 400) {
      await answer.body?.cancel();
      throw new CommandFailure(
        `${url} sends to another address (${status}), which is not followed`,
      );
    }
    const { error } = (await answer.json().catch(() => ({}))) as { error?: string };
    const isBusy = status === 429 || status === 503;
    if (!isBusy || attempt === BUSY_ATTEMPTS)
      throw new CommandFailure(`${toLine(error ?? 'The service refused')} (${status})`);
    await sleep(1000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}

/** @throws CommandFailure for another file than a bundle, and one without its end; Error for a gzip that is cut */
async function requireWhole(path: string, { isGzip, begins, ends }: BundleKind): Promise<void> {
  let [first, last] = [Buffer.alloc(0), Buffer.alloc(0)];
  const look = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of pieces) {
      if (first.length < SEEN_BYTES) first = Buffer.concat([first, piece.subarray(0, SEEN_BYTES)]);
      last = Buffer.concat([last, piece.subarray(-SEEN_BYTES)]).subarray(-SEEN_BYTES);
    }
  };
  const file = createReadStream(path);
  await (isGzip ? pipeline(file, createGunzip(), look) : pipeline(file, look));
  if (!begins.test(first.toString('latin1')))
    throw new CommandFailure('The answer is not a bundle of Assay. Nothing was saved.');
  if (!ends.test(last.toString('latin1')))
    throw new CommandFailure('The bundle was cut short. Nothing was saved.');
}
