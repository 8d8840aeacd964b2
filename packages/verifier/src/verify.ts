// Verifies a bundle in one pass over its lines.
import { matchDisclosures } from './disclosures.ts';
import { type DecisionQuestion, DecisionStory } from './decisions/decision-story.ts';
import { FieldTally } from './fields.ts';
import { isKnownRecipe, readEntry, readFooter, readHeader } from './layout.ts';
import { DestructionCheck, type DestructionQuestion } from './log/destruction-check.ts';
import { HeadsCheck, type HeadsQuestion } from './log/heads-check.ts';
import { findDocumentFaults, linkFaults } from './link-checks.ts';
import { PinCheck } from './pins/pin-check.ts';
import { Positions } from './positions.ts';
import { SignedApprovals } from './signatures/signed-approvals.ts';
import { Findings } from './report.ts';
import { Unreadable } from './text.ts';
import { findViewFault } from './view.ts';
import type { Shown } from './disclosures.ts';
import type { Entry, Footer, Header } from './layout.ts';
import type { Pin } from './pins/pins.ts';
import type { FieldRow, Report } from './report.ts';
import type { View } from './view.ts';

export interface Options {
  /** The expected organisation. */
  organizationId?: string;
  /** The expected chain hash of sequence 1, which identifies the chain. */
  chainStart?: string;
  pins?: readonly Pin[];
  /** The request body that was posted for a pin with a salt. */
  body?: Uint8Array;
  /** Called with the place of every entry. */
  onEntry?: (sequence: number, chainHash: string) => void;
  /** Keys (SPKI in base64url) of people who approve, which the reader has from them. */
  approverKeys?: readonly string[];
  /** The decision to tell about. */
  decision?: DecisionQuestion;
  /** The destruction of an erasure's keys that the document is to show. */
  destruction?: DestructionQuestion;
  /** Files with every checkpoint of the chain's log. */
  heads?: HeadsQuestion;
  /** Called with the state of every committed value. */
  onField?: (row: FieldRow) => void;
}

/** Lines that cannot be read, and problems at all: after more of them the rest is not read. */
const UNREADABLE_MAX = 100;
const PROBLEMS_MAX = 1000;

/** Verifies the lines of a bundle, without line feeds. Never throws: unreadable input is reported. */
export async function verifyBundle(
  lines: AsyncIterable<string>,
  options: Options = {},
): Promise<Report> {
  const verification = new Verification(options);
  try {
    for await (const line of lines) if (!verification.takeLine(line)) break;
  } catch (error) {
    verification.stopReading(describeError(error));
  }
  return verification.report();
}

/** What no hash covers, and the pin does not vouch for. */
function listNotCovered(header: Header | null, last: number | null): string[] {
  const isBeyond = (header?.head?.sequence ?? 0) > (last ?? 0);
  return ['exportedAt', 'recipe', 'id', ...(isBeyond ? ['head'] : [])];
}

/** The engine gives up on values that are nested too deeply. */
function describeError(error: unknown): string {
  if (error instanceof RangeError) return 'nested too deeply, or too long';
  return error instanceof Error ? error.message : String(error);
}

class Verification {
  private readonly findings = new Findings();
  private readonly options: Options;
  private readonly fields: FieldTally;
  private readonly pins: PinCheck;
  private readonly story: DecisionStory | null;
  private readonly destruction: DestructionCheck | null;
  private readonly heads: HeadsCheck | null;
  private readonly approvals: SignedApprovals;
  private header: Header | null = null;
  private footer: Footer | null = null;
  private line = 0;
  private unreadable = 0;
  /** Whether a line could not be read, so that what follows it is unknown. */
  private isCutShort = false;
  private entries = 0;
  private first: number | null = null;
  /** The previous entry; null: none yet, or it was unreadable. */
  private previous: Entry | null = null;
  /** The sequence of the next entry. */
  private expected = 1;
  /** Whether the previous line ended with a comma. */
  private hasComma = true;
  private sawChainStart = false;
  /** Null: an entry is missing or unknown, so references can no longer be checked. */
  private positions: Positions | null = null;

  constructor(options: Options) {
    this.options = options;
    this.fields = new FieldTally(options.onField);
    this.story = options.decision ? new DecisionStory(options.decision) : null;
    this.destruction = options.destruction ? new DestructionCheck(options.destruction) : null;
    this.heads = options.heads ? new HeadsCheck(options.heads) : null;
    this.approvals = new SignedApprovals(options.approverKeys);
    this.pins = new PinCheck(options.pins ?? [], options.body ?? null);
  }

  /** Takes the next line; false when the rest cannot be read. */
  takeLine(line: string): boolean {
    this.line++;
    try {
      if (this.findings.count > PROBLEMS_MAX) throw new Unreadable('too many problems');
      if (this.footer) throw new Unreadable('text after the footer');
      if (!this.header) this.takeHeader(readHeader(line));
      else if (line.startsWith(']')) this.takeFooter(readFooter(line));
      else this.takeEntryLine(line, this.header);
      return true;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.stopReading(error.message);
      return false;
    }
  }

  /** Notes why the rest of the document is not read. */
  stopReading(message: string): void {
    this.isCutShort = true;
    this.reportUnreadable('unreadable', message, null);
  }

  reportUnreadable(code: string, message: string, sequence: number | null): void {
    this.findings.add({ verdict: 'cannot tell', code, sequence, line: this.line, message });
  }

  report(): Report {
    const { header, findings, pins } = this;
    this.checkEnd();
    return {
      verdict: findings.verdict,
      problems: findings.problems,
      problemCount: findings.count,
      organizationId: header?.organizationId ?? null,
      chain: header?.chain ?? null,
      exportedAt: header?.exportedAt ?? null,
      entries: this.entries,
      firstSequence: this.first,
      lastSequence: this.last,
      lastChainHash: this.previous?.chainHash ?? null,
      head: header?.head ?? null,
      notCovered: listNotCovered(header, this.last),
      vouchedUpTo: findings.tampered ? null : pins.vouchedUpTo,
      submitted: pins.submitted,
      fields: this.fields.getCounts(),
      signatures: this.approvals.counts,
      decision: this.story?.steps ?? null,
      destruction: findings.tampered ? null : (this.destruction?.found ?? null),
      heads: findings.tampered ? null : (this.heads?.found ?? null),
    };
  }

  private get last(): number | null {
    return this.entries === 0 ? null : this.expected - 1;
  }

  /** Runs the checks that need all lines. */
  private checkEnd(): void {
    const { header, footer, options, last } = this;
    if (!footer && !this.isCutShort)
      this.reportUnreadable('truncated', 'the document is truncated', null);
    if (header && footer) this.checkDocument(header, footer);
    if (header)
      for (const { code, sequence, message } of this.pins.checkOutside(header, last ?? 0))
        this.reportTampered(code, message, sequence);
    if (options.chainStart !== undefined && !this.sawChainStart)
      this.reportUnreadable(
        'chain-start-unseen',
        'the document does not contain the start of the chain',
        1,
      );
    if (options.body && this.pins.submitted === null)
      this.reportUnreadable(
        'submitted-unseen',
        'no known entry of the document has a receipt with a salt to check the body against',
        null,
      );
    if (this.findings.tampered) return;
    const gap = this.destruction?.findGap() ?? null;
    if (gap !== null) this.reportUnreadable('destruction-unseen', gap, null);
    const unchecked = this.heads?.findGap(last, header?.head?.sequence ?? 0) ?? null;
    if (unchecked !== null) this.reportUnreadable('heads-unseen', unchecked, null);
    if (header) this.requirePin(last);
  }

  private checkDocument(header: Header, footer: Footer): void {
    const { entries, first, last } = this;
    const { chainHash: lastHash = null, createdAt: lastAt = null } = this.previous ?? {};
    const read = { entries, first, last, lastHash, lastAt };
    for (const message of findDocumentFaults(header, footer, read))
      this.reportTampered('document-mismatch', message, this.expected);
  }

  private reportTampered(code: string, message: string, sequence: number): void {
    this.findings.add({ verdict: 'tampered', code, sequence, line: this.line, message });
  }

  private takeHeader(header: Header): void {
    this.header = header;
    this.expected = header.range.fromSequence ?? 1;
    this.positions = new Positions(this.expected, this.approvals);
    if (!isKnownRecipe(header.recipe))
      this.reportUnreadable('recipe-unknown', 'the recipe is not the one of this version', null);
    const { organizationId } = this.options;
    if (organizationId !== undefined && organizationId !== header.organizationId) {
      this.reportTampered(
        'organization-mismatch',
        'the bundle is not of the expected organisation',
        this.expected,
      );
    }
  }

  private takeFooter(footer: Footer): void {
    if (this.hasComma && this.entries > 0)
      this.reportUnreadable('unreadable', 'the last entry ends with a comma', null);
    this.footer = footer;
  }

  private takeEntryLine(line: string, header: Header): void {
    this.entries++;
    if (!this.hasComma)
      this.reportUnreadable(
        'unreadable',
        'the previous entry does not end with a comma',
        this.expected,
      );
    this.hasComma = line.endsWith(',');
    try {
      this.takeEntry(readEntry(line), header);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.reportUnreadable('unreadable', error.message, this.expected);
      if (++this.unreadable > UNREADABLE_MAX)
        throw new Unreadable('too many lines that cannot be read', { cause: error });
      this.positions = null;
      this.previous = null;
      this.first ??= this.expected;
      this.expected++;
    }
  }

  private takeEntry(entry: Entry, header: Header): void {
    this.first ??= entry.sequence;
    this.options.onEntry?.(entry.sequence, entry.chainHash);
    const { expected, previous } = this;
    const prevHash = this.entries === 1 ? header.prevHash : (previous?.chainHash ?? entry.prevHash);
    const faults = linkFaults(entry, {
      header,
      expected,
      prevHash,
      notBefore: previous?.createdAt ?? '',
    });
    for (const { code, message } of faults)
      this.reportTampered(code, message, code === 'sequence-gap' ? expected : entry.sequence);
    if (faults.length > 0) this.positions = null;
    const view = this.takeView(entry, header);
    for (const { code, sequence, message } of this.pins.entry(entry, view))
      this.reportTampered(code, message, sequence);
    const unsigned = this.heads?.addEntry(entry) ?? null;
    if (unsigned !== null) this.reportTampered('heads-mismatch', unsigned, entry.sequence);
    if (entry.sequence === 1) this.checkChainStart(entry);
    this.previous = entry;
    this.expected = entry.sequence + 1;
  }

  /** Null: the view is missing or unknown. */
  private takeView(entry: Entry, header: Header): View | null {
    const { sequence } = entry;
    const fault = entry.view === null ? 'the view is missing' : findViewFault(entry.view);
    if (fault !== null) {
      this.reportUnreadable('view-unknown', fault, sequence);
      this.positions = null;
      return null;
    }
    const view = entry.view as unknown as View;
    if (view.organizationId !== entry.organizationId || view.traceId !== entry.traceId) {
      this.reportTampered(
        'copy-mismatch',
        'organizationId or traceId differs from the view',
        sequence,
      );
    }
    if ((view.kind === 'audit') !== (header.chain === 'audit')) {
      this.reportTampered('copy-mismatch', 'the entry is of another kind of chain', sequence);
    }
    const shown = this.matchDisclosed(entry, view);
    for (const { code, message } of this.positions?.addEntry(entry, view, shown) ?? [])
      this.reportTampered(code, message, sequence);
    const { newest } = this.approvals;
    const signer = newest?.sequence === sequence ? newest.by : null;
    this.story?.addEntry(entry, view, signer);
    const contradiction = this.destruction?.addEntry(sequence, view, shown) ?? null;
    if (contradiction !== null)
      this.reportTampered('destruction-mismatch', contradiction, sequence);
    this.fields.countEntry(entry, view, shown);
    this.fields.countErasure(entry, view, this.first as number);
    return view;
  }

  private matchDisclosed(
    { disclosures, sequence }: Entry,
    { commitments }: View,
  ): Map<string, Shown> {
    try {
      return matchDisclosures(commitments, disclosures);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.reportTampered('disclosure-mismatch', error.message, sequence);
      return new Map();
    }
  }

  private checkChainStart({ chainHash }: Entry): void {
    this.sawChainStart = true;
    const { chainStart } = this.options;
    if (chainStart !== undefined && chainStart !== chainHash)
      this.reportTampered('chain-mismatch', 'the bundle is not of the expected chain', 1);
  }

  private requirePin(last: number | null): void {
    const { vouchedUpTo } = this.pins;
    if (last !== null && vouchedUpTo === last) return;
    const vouched =
      vouchedUpTo === null ? 'no pin in this document' : `vouched for up to ${vouchedUpTo}`;
    const beyond = this.pins.findPinBeyond(last ?? 0);
    const later =
      beyond === null
        ? ''
        : `; the pin at ${beyond} is beyond it: ask for a bundle that reaches it`;
    this.reportUnreadable('not-vouched', `consistent; ${vouched}${later}`, null);
  }
}
