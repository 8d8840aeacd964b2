// Holding a document against what its reader trusts.
import { submittedCommitment } from './pins.ts';
import type { Entry, Header } from './layout.ts';
import type { Pin } from './pins.ts';
import type { View } from './view.ts';

/** Clocks of server and readers may differ by so much before an order in time is believed. */
const CLOCK_TOLERANCE_MS = 60_000;

/** A disagreement with a pin, at its sequence. */
export interface PinFault {
  code: string;
  sequence: number;
  message: string;
}

export class PinCheck {
  /** The highest sequence at which a pin agrees. */
  vouchedUpTo: number | null = null;
  /** Whether the kept body is what the receipt's entry commits to; null: not seen. */
  submitted: boolean | null = null;
  private readonly pins = new Map<number, Pin[]>();
  private readonly body: Uint8Array | null;

  constructor(pins: readonly Pin[], body: Uint8Array | null) {
    for (const pin of pins)
      this.pins.set(pin.sequence, [...(this.pins.get(pin.sequence) ?? []), pin]);
    this.body = body;
  }

  /** An entry; `view` is null when it is not understood. */
  entry(entry: Entry, view: View | null): PinFault[] {
    const { sequence } = entry;
    const faults: PinFault[] = [];
    for (const pin of this.pins.get(sequence) ?? []) {
      const sameTrace = pin.traceId === null || pin.traceId === entry.traceId;
      if (pin.chainHash !== entry.chainHash)
        faults.push({
          code: 'pin-mismatch',
          sequence,
          message: 'a trusted pin names another chainHash',
        });
      else if (!sameTrace)
        faults.push({
          code: 'pin-mismatch',
          sequence,
          message: 'the receipt is for another trace',
        });
      else this.vouchedUpTo = sequence;
      faults.push(...this.bodyFault(pin, view));
    }
    return faults;
  }

  /** What the pins outside the entries say: at the entry just before, and at or beyond the claimed head. */
  outside(header: Header, last: number): PinFault[] {
    const before =
      header.range.fromSequence === null
        ? []
        : (this.pins.get(header.range.fromSequence - 1) ?? []);
    const faults: PinFault[] = before
      .filter(({ chainHash }) => chainHash !== header.prevHash)
      .map(({ sequence }) => ({
        code: 'pin-mismatch',
        sequence,
        message: 'the document does not link to a trusted pin',
      }));
    for (const pin of [...this.pins.values()].flat()) {
      const message = pin.sequence > last ? headFault(pin, header) : null;
      if (message !== null) faults.push({ code: 'pin-mismatch', sequence: pin.sequence, message });
    }
    return faults;
  }

  /** The lowest pin after `last`: it says nothing about entries that are not linked to it. */
  beyond(last: number): number | null {
    const sequences = [...this.pins.keys()].filter((sequence) => sequence > last);
    return sequences.length === 0 ? null : Math.min(...sequences);
  }

  private bodyFault({ salt, sequence }: Pin, view: View | null): PinFault[] {
    if (this.body === null || salt === null || view === null) return [];
    this.submitted = submittedCommitment(salt, this.body) === view.commitments.submitted;
    if (this.submitted) return [];
    const message =
      'the body is not what this entry committed to as submitted; or it is not the file that was posted';
    return [{ code: 'submitted-mismatch', sequence, message }];
  }
}

function headFault(pin: Pin, { head, exportedAt }: Header): string | null {
  if (head !== null && pin.sequence < head.sequence) return null;
  if (pin.sequence === head?.sequence)
    return pin.chainHash === head.chainHash
      ? null
      : 'a trusted pin names another chainHash than the head';
  const early =
    pin.createdAt !== null &&
    Date.parse(pin.createdAt) + CLOCK_TOLERANCE_MS < Date.parse(exportedAt);
  return early
    ? 'the chain had reached this trusted pin before the document was exported, whose head is below it'
    : null;
}
