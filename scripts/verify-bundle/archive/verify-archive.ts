// Verifies an audit bundle: its manifest by the signature, its ledger like every bundle, with what the manifest says as a pin.
import { readLines } from '../input.ts';
import type { Pin } from '../pins.ts';
import type { Problem, Report } from '../report.ts';
import { Unreadable } from '../text.ts';
import { type Options, verifyBundle } from '../verify.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { tarFiles } from './tar.ts';

/** Above the size of a manifest, or of all keys of an installation. */
const SMALL_BYTES = 4 * 1024 * 1024;
const LEDGER = 'ledger.json';

export interface ArchiveOptions extends Options {
  /** The names of keys that the reader trusts. */
  keys: readonly string[];
}

export interface ArchiveReport extends Report {
  /** Who signed the manifest; null: nobody that could be told. */
  signedBy: string | null;
  /** Whether that is a key that the reader trusts. */
  isTrusted: boolean;
}

/** Never throws for unreadable input: that is reported. */
export async function verifyArchive(
  bytes: AsyncIterator<Buffer>,
  options: ArchiveOptions,
): Promise<ArchiveReport> {
  const small = new Map<string, string>();
  try {
    for await (const { name, size, body } of tarFiles(bytes)) {
      if (name === LEDGER) return await verifyLedger(body, small, options);
      if (size > SMALL_BYTES) throw new Unreadable(`${name}: too large`);
      const pieces: Buffer[] = [];
      for await (const piece of body) pieces.push(piece);
      small.set(name, Buffer.concat(pieces).toString('utf8'));
    }
    throw new Unreadable(`the archive has no ${LEDGER}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const report = await verifyBundle(nothing());
    return concluded(report, null, false, [problemOf('cannot tell', 'unreadable', message)]);
  }
}

async function verifyLedger(
  body: AsyncIterable<Buffer>,
  small: ReadonlyMap<string, string>,
  options: ArchiveOptions,
): Promise<ArchiveReport> {
  const manifest = readManifest(small.get('manifest.jws') ?? '', small.get('keys.json') ?? '');
  const isTrusted = manifest !== null && options.keys.includes(manifest.kid);
  const pins = [...(options.pins ?? []), ...(isTrusted ? [pinOf(manifest)] : [])];
  const report = await verifyBundle(readLines(body), { ...options, pins });
  const problems = manifest
    ? differences(manifest, report)
    : [problemOf('tampered', 'signature-mismatch', 'the manifest is not what was signed')];
  return concluded(report, manifest, isTrusted, problems);
}

function concluded(
  report: Report,
  manifest: Manifest | null,
  isTrusted: boolean,
  found: readonly Problem[],
): ArchiveReport {
  const isTampered = found.some(({ verdict }) => verdict === 'tampered');
  return {
    ...report,
    verdict: isTampered ? 'tampered' : report.verdict,
    problems: [...found, ...report.problems],
    problemCount: found.length + report.problemCount,
    vouchedUpTo: isTampered ? null : report.vouchedUpTo,
    signedBy: manifest?.kid ?? null,
    isTrusted,
  };
}

/** The ledger has to be the one that the manifest is about, whoever signed it. */
function differences(manifest: Manifest, report: Report): Problem[] {
  const { organizationId, firstSequence, lastSequence, entries } = report;
  const isSame =
    organizationId === manifest.organizationId &&
    firstSequence === manifest.firstSequence &&
    lastSequence === manifest.lastSequence &&
    entries === manifest.entries;
  const message = 'the ledger is not of the organisation and the range of the manifest';
  return isSame ? [] : [problemOf('tampered', 'manifest-mismatch', message)];
}

function problemOf(verdict: Problem['verdict'], code: string, message: string): Problem {
  return { verdict, code, sequence: null, line: 1, message };
}

function pinOf({ lastSequence: sequence, lastChainHash: chainHash }: Manifest): Pin {
  return { sequence, chainHash, traceId: null, salt: null, createdAt: null };
}

// eslint-disable-next-line require-yield
async function* nothing(): AsyncGenerator<string> {}
