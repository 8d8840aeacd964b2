// Compares a document with the pins that its reader trusts.
import { CLOCK_TOLERANCE_MS } from '../link-checks.ts';
import { computeSubmittedCommitment, isPinned } from './pins.ts';
import type { Entry, Header } from '../layout.ts';
import type { Pin } from './pins.ts';
import type { View } from '../view.ts';

/** A disagreement with a pin, at its sequence. */
export interface PinFault {
  code: string;
  sequence: number;
  message: string;
}

export class PinCheck {
  /** The highest sequence at which a pin agrees. */
  vouchedUpTo: number | null = null;
  /** Whether the given body is what the receipt's entry commits to; null: not checked. */
  submitted: boolean | null = null;
  private readonly pins = new Map<number, Pin[]>();
  private readonly body: Uint8Array | null;

  constructor(pins: readonly Pin[], body: Uint8Array | null) {
    for (const pin of pins)
      this.pins.set(pin.sequence, [...(this.pins.get(pin.sequence) ?? []), pin]);
    this.body = body;
  }

  /** Checks an entry; `view` is null when it is unknown. */
  entry(entry: Entry, view: View | null): PinFault[] {
    const { sequence } = entry;
    const faults: PinFault[] = [];
    for (const pin of this.pins.get(sequence) ?? []) {
      const sameTrace = pin.traceId === null || pin.traceId === entry.traceId;
      if (!isPinned(pin, entry.chainHash))
        faults.push({
          code: 'pin-mismatch',
          sequence,
          message: 'a pin has another chainHash',
        });
      else if (!sameTrace)
        faults.push({
          code: 'pin-mismatch',
          sequence,
          message: 'the receipt is for another trace',
        });
      else this.vouchedUpTo = sequence;
      faults.push(...this.checkBody(pin, view));
    }
    return faults;
  }

  /** Checks the pins outside the entries: just before the first, and at or beyond the claimed head. */
  checkOutside(header: Header, last: number): PinFault[] {
    const before =
      header.range.fromSequence === null
        ? []
        : (this.pins.get(header.range.fromSequence - 1) ?? []);
    const faults: PinFault[] = before
      .filter((pin) => !isPinned(pin, header.prevHash))
      .map(({ sequence }) => ({
        code: 'pin-mismatch',
        sequence,
        message: 'the document does not link to a pin before it',
      }));
    for (const pin of [...this.pins.values()].flat()) {
      const message = pin.sequence > last ? checkHead(pin, header) : null;
      if (message !== null) faults.push({ code: 'pin-mismatch', sequence: pin.sequence, message });
    }
    return faults;
  }

  /** The lowest pin after `last`, which cannot vouch for entries that are not linked to it. */
  findPinBeyond(last: number): number | null {
    const sequences = [...this.pins.keys()].filter((sequence) => sequence > last);
    return sequences.length === 0 ? null : Math.min(...sequences);
  }

  private checkBody({ salt, sequence }: Pin, view: View | null): PinFault[] {
    if (this.body === null || salt === null || view === null) return [];
    this.submitted = computeSubmittedCommitment(salt, this.body) === view.commitments.submitted;
    if (this.submitted) return [];
    const message =
      'the body is not what this entry commits to as submitted, or not the file that was posted';
    return [{ code: 'submitted-mismatch', sequence, message }];
  }
}

function checkHead(pin: Pin, { head, exportedAt }: Header): string | null {
  if (head !== null && pin.sequence < head.sequence) return null;
  if (pin.sequence === head?.sequence)
    return isPinned(pin, head.chainHash) ? null : 'a pin has another chainHash than the head';
  const isEarlier =
    pin.createdAt !== null &&
    Date.parse(pin.createdAt) + CLOCK_TOLERANCE_MS < Date.parse(exportedAt);
  return isEarlier
    ? 'the chain reached this pin before the document was exported, but its head is below the pin'
    : null;
}
