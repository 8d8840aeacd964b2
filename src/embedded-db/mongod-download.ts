// Fetches the official MongoDB server for this machine's distribution.
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { download, downloadText } from './download.ts';

/** The newest release that mongodb-memory-server-core 11.3 knows how to name for every platform. */
export const officialVersion = '8.2.6';

/** What the download needs of the look-up. */
export interface OfficialDownload {
  /** `MONGOMS_DOWNLOAD_MIRROR` replaces the official host. */
  env: Readonly<Record<string, string | undefined>>;
  /** An empty folder of its own. */
  dir: string;
  log: (line: string) => void;
  timeoutMs: number;
}

/**
 * Downloads, checks and unpacks mongod; returns its path inside `dir`.
 * mongodb-memory-server-core names the archive for the platform and unpacks it. It does not fetch it: it would accept any
 * certificate (unless npm is told otherwise), check MD5 only, and wait minutes for a silent host.
 * @throws Error with a readable reason.
 */
export async function fetchOfficial({
  env,
  dir,
  log,
  timeoutMs,
}: OfficialDownload): Promise<string> {
  const { DryMongoBinary } = await import('mongodb-memory-server-core');
  const { MongoBinaryDownloadUrl } =
    await import('mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js');
  const { MongoBinaryDownload } =
    await import('mongodb-memory-server-core/lib/util/MongoBinaryDownload.js');
  const wanted = await DryMongoBinary.generateOptions({
    version: officialVersion,
    downloadDir: dir,
  });
  const naming = new MongoBinaryDownloadUrl(wanted);
  const mirror = (env.MONGOMS_DOWNLOAD_MIRROR ?? 'https://fastdl.mongodb.org').replace(/\/$/, '');
  const url = `${mirror}/${naming.platform}/${await naming.getArchiveName()}`;

  const expected = (await downloadText(`${url}.sha256`, timeoutMs)).trim().split(/\s/)[0];
  const archive = join(dir, basename(url));
  const onProgress = (done: number, total: number): void =>
    log(`Downloading MongoDB ${officialVersion}: ${megabytes(done)} of ${megabytes(total)} MB`);
  const actual = await download({ url, file: archive, timeoutMs, onProgress });
  if (actual !== expected)
    throw new Error(`${basename(url)} has SHA-256 ${actual}, expected ${expected ?? 'nothing'}`);

  const path = await new MongoBinaryDownload({ ...wanted, downloadDir: dir }).extract(archive);
  await rm(archive);
  return path;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
