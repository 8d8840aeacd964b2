// Verifies a file: an evidence bundle, or an audit bundle with one inside.
import { isTar } from './archive/tar.ts';
import {
  type ArchiveOptions,
  type ArchiveReport,
  verifyArchive,
} from './archive/verify-archive.ts';
import { readBeginning, readBytes, readLines } from './input.ts';
import type { Report } from './report.ts';
import { verifyBundle } from './verify.ts';

/** Verifies a file; `-` reads standard input. Unreadable contents are reported. @throws Error if the file is missing */
export async function verifyFile(
  path: string,
  options: ArchiveOptions,
): Promise<Report | ArchiveReport> {
  const { head, bytes } = await readBeginning(readBytes(path));
  return isTar(head) ? verifyArchive(bytes, options) : verifyBundle(readLines(bytes), options);
}
