// Verifies an evidence or audit bundle offline, with the verifier of `assay verify-bundle`.
import type { ArchiveOptions, ArchiveReport } from '../../verifier/src/archive/verify-archive.ts';
import type { Report } from '../../verifier/src/report.ts';
import { expandBytes, readBytes } from '../../verifier/src/system/files.ts';
import { verifyBytes } from '../../verifier/src/verify-bytes.ts';

export type { ArchiveReport } from '../../verifier/src/archive/verify-archive.ts';
export { type Pin, readPin, readShortPin } from '../../verifier/src/pins/pins.ts';
export type { Problem, Report, Verdict } from '../../verifier/src/report.ts';

export type VerifyOptions = Partial<ArchiveOptions>;

/**
 * Verifies a bundle: `intact`, `tampered` or `cannot tell`. What cannot be read is reported.
 * @param bundle the path of its file, or its bytes, plain or gzipped; evidence, or an audit bundle (tar)
 * @throws Error if the file is missing
 */
export function verifyBundle(
  bundle: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: VerifyOptions = {},
): Promise<Report | ArchiveReport> {
  const whole: ArchiveOptions = { keys: [], ...options };
  const bytes = typeof bundle === 'string' ? readBytes(bundle) : expandBytes(toBuffers(bundle));
  return verifyBytes(bytes, whole);
}

async function* toBuffers(bytes: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  if (bytes instanceof Uint8Array) yield toBuffer(bytes);
  else for await (const chunk of bytes) yield toBuffer(chunk);
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
