// The verification: one pass over the lines of a bundle, to one of three verdicts.
import { matchDisclosures } from './disclosures.ts';
import { FieldTally } from './fields.ts';
import { readEntry, readFooter, readHeader } from './layout.ts';
import { documentFaults, linkFaults } from './link-checks.ts';
import { PinCheck } from './pin-check.ts';
import { Positions } from './positions.ts';
import { Findings } from './report.ts';
import { Unreadable } from './text.ts';
import { viewFault } from './view.ts';
import type { Shown } from './disclosures.ts';
import type { Entry, Footer, Header } from './layout.ts';
import type { Pin } from './pins.ts';
import type { FieldRow, Report } from './report.ts';
import type { View } from './view.ts';

export interface Options {
  /** The organisation whose bundle it should be. */
  organizationId?: string;
  /** The chain hash of sequence 1, the identity of the chain. */
  chainStart?: string;
  pins?: readonly Pin[];
  /** The request body that was posted for a pin with a salt. */
  body?: Uint8Array;
  /** Gets what becomes of every committed value. */
  onField?: (row: FieldRow) => void;
}

/** Verifies a bundle given line by line, without line ends. Never throws: what cannot be read is a finding. */
export async function verifyBundle(
  lines: AsyncIterable<string>,
  options: Options = {},
): Promise<Report> {
  const verification = new Verification(options);
  try {
    for await (const line of lines) if (!verification.takeLine(line)) break;
  } catch (error) {
    verification.cannotTell(
      'unreadable',
      error instanceof Error ? error.message : String(error),
      null,
    );
  }
  return verification.report();
}

class Verification {
  private readonly findings = new Findings();
  private readonly options: Options;
  private readonly fields: FieldTally;
  private readonly pins: PinCheck;
  private header: Header | null = null;
  private footer: Footer | null = null;
  private line = 0;
  private entries = 0;
  private first: number | null = null;
  /** The entry before; null: none yet, or it could not be read. */
  private previous: Entry | null = null;
  /** The sequence that the next entry must have. */
  private expected = 1;
  /** Whether the line before announced another entry. */
  private comma = true;
  private sawChainStart = false;
  /** Null: some entry is missing or not understood, so that nothing can be held against it any more. */
  private positions: Positions | null = null;

  constructor(options: Options) {
    this.options = options;
    this.fields = new FieldTally(options.onField);
    this.pins = new PinCheck(options.pins ?? [], options.body ?? null);
  }

  /** Takes the next line; false when nothing can be made of the rest. */
  takeLine(line: string): boolean {
    this.line++;
    try {
      if (this.footer) throw new Unreadable('text after the end of the document');
      if (!this.header) this.takeHeader(readHeader(line));
      else if (line.startsWith(']')) this.takeFooter(readFooter(line));
      else this.takeEntryLine(line, this.header);
      return true;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.cannotTell('unreadable', error.message, null);
      return false;
    }
  }

  cannotTell(code: string, message: string, sequence: number | null): void {
    this.findings.add({ verdict: 'cannot tell', code, sequence, line: this.line, message });
  }

  report(): Report {
    const { header, footer, options } = this;
    const last = this.entries === 0 ? null : this.expected - 1;
    if (!footer) this.cannotTell('truncated', 'the document has no end', null);
    if (header && footer) {
      const read = {
        entries: this.entries,
        first: this.first,
        last,
        lastHash: this.previous?.chainHash ?? null,
      };
      for (const message of documentFaults(header, footer, read))
        this.tampered('document-mismatch', message, this.expected);
    }
    if (header)
      for (const { code, sequence, message } of this.pins.outside(header, last ?? 0))
        this.tampered(code, message, sequence);
    if (options.chainStart !== undefined && !this.sawChainStart) {
      this.cannotTell('chain-start-unseen', 'the document does not hold the start of the chain', 1);
    }
    if (options.body && this.pins.submitted === null) {
      this.cannotTell(
        'submitted-unseen',
        'no understood entry of the document has a receipt with a salt to hold the body against',
        null,
      );
    }
    if (header && !this.findings.tampered) this.requirePin(last);
    const { tampered } = this.findings;
    return {
      verdict: this.findings.verdict,
      problems: this.findings.problems,
      problemCount: this.findings.count,
      organizationId: header?.organizationId ?? null,
      chain: header?.chain ?? null,
      exportedAt: header?.exportedAt ?? null,
      entries: this.entries,
      firstSequence: this.first,
      lastSequence: last,
      head: header?.head ?? null,
      vouchedUpTo: tampered ? null : this.pins.vouchedUpTo,
      submitted: this.pins.submitted,
      fields: this.fields.counts(),
    };
  }

  private tampered(code: string, message: string, sequence: number): void {
    this.findings.add({ verdict: 'tampered', code, sequence, line: this.line, message });
  }

  private takeHeader(header: Header): void {
    this.header = header;
    this.expected = header.range.fromSequence ?? 1;
    this.positions = new Positions(this.expected);
    const { organizationId } = this.options;
    if (organizationId !== undefined && organizationId !== header.organizationId) {
      this.tampered('organization-mismatch', 'not the expected organisation', this.expected);
    }
  }

  private takeFooter(footer: Footer): void {
    if (this.comma && this.entries > 0)
      this.cannotTell('unreadable', 'the last entry announces another one', null);
    this.footer = footer;
  }

  private takeEntryLine(line: string, header: Header): void {
    this.entries++;
    if (!this.comma)
      this.cannotTell('unreadable', 'the entry before does not announce this one', this.expected);
    this.comma = line.endsWith(',');
    try {
      this.takeEntry(readEntry(line), header);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.cannotTell('unreadable', error.message, this.expected);
      this.positions = null;
      this.previous = null;
      this.first ??= this.expected;
      this.expected++;
    }
  }

  private takeEntry(entry: Entry, header: Header): void {
    this.first ??= entry.sequence;
    const { expected, previous } = this;
    const prevHash = this.entries === 1 ? header.prevHash : (previous?.chainHash ?? entry.prevHash);
    const faults = linkFaults(entry, {
      header,
      expected,
      prevHash,
      notBefore: previous?.createdAt ?? '',
    });
    for (const { code, message } of faults)
      this.tampered(code, message, code === 'sequence-gap' ? expected : entry.sequence);
    if (faults.length > 0) this.positions = null;
    const view = this.takeView(entry, header);
    for (const { code, sequence, message } of this.pins.entry(entry, view))
      this.tampered(code, message, sequence);
    if (entry.sequence === 1) this.checkChainStart(entry);
    this.previous = entry;
    this.expected = entry.sequence + 1;
  }

  /** Null: the view is missing or not understood. */
  private takeView(entry: Entry, header: Header): View | null {
    const { sequence } = entry;
    const fault = entry.view === null ? 'the view is missing' : viewFault(entry.view);
    if (fault !== null) {
      this.cannotTell('view-unknown', fault, sequence);
      this.positions = null;
      return null;
    }
    const view = entry.view as unknown as View;
    if (view.organizationId !== entry.organizationId || view.traceId !== entry.traceId) {
      this.tampered('copy-mismatch', 'organizationId or traceId differs from the view', sequence);
    }
    if ((view.kind === 'audit') !== (header.chain === 'audit')) {
      this.tampered('copy-mismatch', 'an entry of another kind of chain', sequence);
    }
    const reference = this.positions?.next(entry, view) ?? null;
    if (reference !== null) this.tampered('reference-mismatch', reference, sequence);
    this.fields.entry(entry, view, this.disclosed(entry, view));
    this.fields.erasure(entry, view, this.first as number);
    return view;
  }

  private disclosed({ disclosures, sequence }: Entry, { commitments }: View): Map<string, Shown> {
    try {
      return matchDisclosures(commitments, disclosures);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.tampered('disclosure-mismatch', error.message, sequence);
      return new Map();
    }
  }

  private checkChainStart({ chainHash }: Entry): void {
    this.sawChainStart = true;
    const { chainStart } = this.options;
    if (chainStart !== undefined && chainStart !== chainHash)
      this.tampered('chain-mismatch', 'not the expected chain', 1);
  }

  private requirePin(last: number | null): void {
    const { vouchedUpTo } = this.pins;
    if (last !== null && vouchedUpTo === last) return;
    const vouched =
      vouchedUpTo === null ? 'no trusted pin in this document' : `vouched for up to ${vouchedUpTo}`;
    const beyond = this.pins.beyond(last ?? 0);
    const later =
      beyond === null
        ? ''
        : `; the pin at ${beyond} is beyond it: ask for a bundle that reaches it`;
    this.cannotTell('not-vouched', `consistent; ${vouched}${later}`, null);
  }
}
