// Verifies a file: an evidence bundle, or an audit bundle with one inside.
import { isTar } from './archive/tar.ts';
import {
  type ArchiveOptions,
  type ArchiveReport,
  verifyArchive,
} from './archive/verify-archive.ts';
import { peek, readBytes, readLines } from './input.ts';
import type { Report } from './report.ts';
import { verifyBundle } from './verify.ts';

/** `path`: `-` reads standard input. Never throws for unreadable contents: they are reported. @throws Error where there is no such file */
export async function verifyFile(
  path: string,
  options: ArchiveOptions,
): Promise<Report | ArchiveReport> {
  const { head, bytes } = await peek(readBytes(path));
  return isTar(head) ? verifyArchive(bytes, options) : verifyBundle(readLines(bytes), options);
}
