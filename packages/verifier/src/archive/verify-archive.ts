// Verifies an audit bundle: the manifest's signature, the ledger like any bundle, and each against the other.
import { readLines } from '../system/lines.ts';
import type { Pin } from '../pins/pins.ts';
import type { Problem, Report, Verdict } from '../report.ts';
import { Unreadable } from '../text.ts';
import { type Options, verifyBundle } from '../verify.ts';
import { isReadableCopy, type Manifest, readManifest, readOmissions } from './manifest.ts';
import { PromisedValues } from './promised-values.ts';
import { readTar, type TarFile } from './tar.ts';

const KIB = 1024;
/** The files of an archive in their order, with the size that each has at most. */
const FILES = [
  { name: 'manifest.json', most: 64 * KIB },
  { name: 'manifest.jws', most: 64 * KIB },
  { name: 'keys.json', most: 4 * KIB * KIB },
  { name: 'VERIFY.md', most: 64 * KIB },
  { name: 'ledger.json', most: Infinity },
  /** Only where promised values were erased. */
  { name: 'omissions.jws', most: 64 * KIB * KIB },
] as const;
const NEEDED = 5;

export interface ArchiveOptions extends Options {
  /** The names of keys that the reader trusts. */
  keys: readonly string[];
}

export interface ArchiveReport extends Report {
  /** The key that signed the manifest; null: its signature does not hold or could not be read. */
  signedBy: string | null;
  /** Whether that is a key that the reader trusts. */
  isTrusted: boolean;
}

/** Never throws for unreadable input: that is reported. */
export async function verifyArchive(
  bytes: AsyncIterator<Buffer>,
  options: ArchiveOptions,
): Promise<ArchiveReport> {
  const verification = new ArchiveVerification(options);
  let fault: Problem | null = null;
  try {
    for await (const file of readTar(bytes)) await verification.takeFile(file);
    verification.takeEnd();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    fault = createProblem('cannot tell', 'unreadable', message);
  }
  return verification.report(fault);
}

class ArchiveVerification {
  private readonly options: ArchiveOptions;
  private readonly texts = new Map<string, string>();
  private files = 0;
  private manifest: Manifest | null = null;
  private ledger: Report | null = null;
  private promised = new PromisedValues([]);
  private readonly problems: Problem[] = [];

  constructor(options: ArchiveOptions) {
    this.options = options;
  }

  /** @throws Unreadable */
  async takeFile({ name, size, body }: TarFile): Promise<void> {
    const expected = FILES[this.files++];
    if (name !== expected?.name)
      throw new Unreadable(
        `the archive holds ${name}, where ${expected?.name ?? 'its end'} belongs`,
      );
    if (size > expected.most) throw new Unreadable(`${name}: too large`);
    if (name === 'ledger.json') return this.takeLedger(body);
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    this.texts.set(name, Buffer.concat(pieces).toString('utf8'));
    if (name === 'omissions.jws') this.takeOmissions();
  }

  /** @throws Unreadable when a file is missing */
  takeEnd(): void {
    if (this.files < NEEDED)
      throw new Unreadable(`the archive has no ${FILES[this.files]?.name ?? ''}`);
  }

  async report(fault: Problem | null): Promise<ArchiveReport> {
    const { manifest } = this;
    const report = this.ledger ?? (await verifyBundle(createNoLines()));
    const found = [...(fault ? [fault] : []), ...this.problems, ...describeMissing(this.promised)];
    // Without a ledger only the archive is reported.
    const problems = this.ledger ? [...found, ...report.problems] : found;
    const problemCount = found.length + (this.ledger ? report.problemCount : 0);
    const verdict = decideVerdict(report.verdict, found);
    return {
      ...report,
      verdict,
      problems,
      problemCount,
      vouchedUpTo: fault || verdict === 'tampered' ? null : report.vouchedUpTo,
      signedBy: manifest?.kid ?? null,
      isTrusted: this.isTrusted(manifest),
    };
  }

  private isTrusted(signed: { kid: string } | null): boolean {
    return signed !== null && this.options.keys.includes(signed.kid);
  }

  /** @throws Unreadable */
  private async takeLedger(body: AsyncIterable<Buffer>): Promise<void> {
    const { options } = this;
    const manifest = readManifest(this.readText('manifest.jws'), this.readText('keys.json'));
    this.manifest = manifest;
    const promised = new PromisedValues(manifest?.disclosed ?? []);
    this.promised = promised;
    const pins = [
      ...(options.pins ?? []),
      ...(manifest && this.isTrusted(manifest) ? [toPin(manifest)] : []),
    ];
    this.ledger = await verifyBundle(readLines(body), {
      ...options,
      pins,
      onField(row) {
        promised.recordField(row);
        options.onField?.(row);
      },
    });
    if (manifest) this.compare(manifest, this.ledger);
    else this.reportTampered('signature-mismatch', 'manifest.jws: the signature does not hold');
  }

  /** The archive must be the one that the manifest describes, regardless of the signer. */
  private compare(manifest: Manifest, ledger: Report): void {
    const isLedgerUnreadable = ledger.organizationId === null;
    const isSameRange =
      ledger.organizationId === manifest.organizationId &&
      ledger.firstSequence === manifest.firstSequence &&
      ledger.lastSequence === manifest.lastSequence &&
      ledger.entries === manifest.entries;
    if (!isLedgerUnreadable && !isSameRange)
      this.reportTampered(
        'manifest-mismatch',
        'the ledger is not of the organisation and the range of the manifest',
      );
    if (ledger.lastChainHash !== null && ledger.lastChainHash !== manifest.lastChainHash)
      this.reportTampered('manifest-mismatch', 'the last entry is not the one of the manifest');
    if (!isReadableCopy(this.readText('manifest.json'), manifest))
      this.reportTampered('manifest-mismatch', 'manifest.json does not say what was signed');
    const { keys } = this.options;
    if (keys.length > 0 && !keys.includes(manifest.kid))
      this.problems.push(
        createProblem(
          'cannot tell',
          'key-mismatch',
          'another key than those of --key signed the manifest',
        ),
      );
  }

  /** @throws Unreadable */
  private takeOmissions(): void {
    const omissions = readOmissions(this.readText('omissions.jws'), this.readText('keys.json'));
    if (omissions === null)
      this.reportTampered('signature-mismatch', 'omissions.jws: the signature does not hold');
    else if (omissions.bundleId !== this.manifest?.bundleId)
      this.reportTampered('manifest-mismatch', 'omissions.jws is of another bundle');
    else if (this.isTrusted(omissions) || omissions.kid === this.manifest.kid)
      this.promised.recordOmissions(omissions);
    else
      this.problems.push(
        createProblem(
          'cannot tell',
          'key-mismatch',
          `another key signed omissions.jws: ${omissions.kid}`,
        ),
      );
  }

  private readText(name: string): string {
    return this.texts.get(name) ?? '';
  }

  private reportTampered(code: string, message: string): void {
    this.problems.push(createProblem('tampered', code, message));
  }
}

function decideVerdict(ofLedger: Verdict, found: readonly Problem[]): Verdict {
  const isTampered = found.some(({ verdict }) => verdict === 'tampered');
  if (isTampered || ofLedger === 'tampered') return 'tampered';
  return found.length > 0 ? 'cannot tell' : ofLedger;
}

function createProblem(verdict: Problem['verdict'], code: string, message: string): Problem {
  return { verdict, code, sequence: null, line: 1, message };
}

function describeMissing(promised: PromisedValues): Problem[] {
  const { count, first } = promised.findMissing();
  if (count === 0) return [];
  const { sequence = null, name = 'a value' } = first ?? {};
  const others = count > 1 ? `, nor are ${count - 1} more` : '';
  const message = `the manifest promises ${name}, which is not shown${others}: taken out of the file, or erased since`;
  return [{ verdict: 'cannot tell', code: 'disclosure-missing', sequence, line: 1, message }];
}

function toPin({ lastSequence: sequence, lastChainHash: chainHash }: Manifest): Pin {
  return { sequence, chainHash, traceId: null, salt: null, createdAt: null };
}

// eslint-disable-next-line require-yield
async function* createNoLines(): AsyncGenerator<string> {}
