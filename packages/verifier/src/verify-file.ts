// Verifies a file: an evidence bundle, or an audit bundle with one inside.
import type { ArchiveOptions, ArchiveReport } from './archive/verify-archive.ts';
import { readBytes } from './system/files.ts';
import type { Report } from './report.ts';
import { verifyBytes } from './verify-bytes.ts';

/** Verifies a file; `-` reads standard input. Unreadable contents are reported. @throws Error if the file is missing */
export function verifyFile(path: string, options: ArchiveOptions): Promise<Report | ArchiveReport> {
  return verifyBytes(readBytes(path), options);
}
