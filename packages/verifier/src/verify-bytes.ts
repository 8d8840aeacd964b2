// Verifies the unzipped bytes of an evidence bundle, or of an audit bundle with one inside.
import { isTar } from './archive/tar.ts';
import {
  type ArchiveOptions,
  type ArchiveReport,
  verifyArchive,
} from './archive/verify-archive.ts';
import { readBeginning, readLines } from './system/lines.ts';
import type { Report } from './report.ts';
import { verifyBundle } from './verify.ts';

/** Unreadable contents are reported. @throws Error of the system that reads the source */
export async function verifyBytes(
  source: AsyncGenerator<Buffer>,
  options: ArchiveOptions,
): Promise<Report | ArchiveReport> {
  const { head, bytes } = await readBeginning(source);
  return isTar(head) ? verifyArchive(bytes, options) : verifyBundle(readLines(bytes), options);
}
