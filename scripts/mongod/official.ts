// Downloads the official MongoDB server for this machine's distribution.
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DownloadOptions } from '@assay/embedded-mongod';
import { resolveArchive } from './archive.ts';
import { fetchFile, fetchText } from './fetch-file.ts';

/** The newest release that mongodb-memory-server-core 11.3 can name for every platform. */
export const officialVersion = '8.2.6';

/**
 * Downloads, verifies and unpacks mongod; resolves with its path in `dir`. `MONGOMS_DOWNLOAD_MIRROR` replaces the official host.
 * mongodb-memory-server-core names the archive for the platform and unpacks it. It does not download it: it would accept any
 * certificate (unless npm is configured otherwise), verify MD5 only, and wait minutes for a silent host.
 * @throws Error with a readable reason
 */
export async function fetchOfficial(options: DownloadOptions): Promise<string> {
  const mirror = readMirror(options.env);
  const { path, extract } = await resolveArchive(officialVersion, options.dir);
  const archive = await fetchVerified(`${mirror.replace(/\/$/, '')}/${path}`, options);
  const mongod = await extract(archive);
  await rm(archive);
  return mongod;
}

/** The checksum comes from the same host as the archive, so the connection must be protected against changes. */
function readMirror({ MONGOMS_DOWNLOAD_MIRROR: mirror }: DownloadOptions['env']): string {
  if (mirror === undefined) return 'https://fastdl.mongodb.org';
  if (!/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])/.test(mirror))
    throw new Error('MONGOMS_DOWNLOAD_MIRROR must begin with https://');
  return mirror;
}

/** Downloads into `dir` and compares the checksum that the host publishes beside the archive. */
async function fetchVerified(
  url: string,
  { dir, log, timeoutMs }: DownloadOptions,
): Promise<string> {
  const expected = (await fetchText(`${url}.sha256`, timeoutMs)).trim().split(/\s/)[0];
  const archive = join(dir, basename(url));
  const onProgress = (done: number, total: number): void =>
    log(`Downloading MongoDB ${officialVersion}: ${toMegabytes(done)} of ${toMegabytes(total)} MB`);
  const actual = await fetchFile({ url, file: archive, timeoutMs, onProgress });
  if (actual !== expected)
    throw new Error(`${basename(url)} has SHA-256 ${actual}, expected ${expected ?? 'nothing'}`);
  return archive;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
