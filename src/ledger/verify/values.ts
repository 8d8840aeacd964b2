// Committed values of one entry against the commitments in its view.
import { matchesCommitment, type SealedValue } from '../../domain/record/commitments.ts';
import type { Payload } from '../../domain/record/payload.ts';
import type { Stored } from '../entry.ts';
import type { Findings } from './report.ts';

export type SealedValues = Readonly<Record<string, SealedValue | null | undefined>>;

/** What an entry stores of the values that its view commits to. */
export function sealedOf(entry: Stored): SealedValues {
  const { sealed } = entry;
  return typeof sealed === 'object' && sealed !== null ? (sealed as SealedValues) : {};
}

/** Checks every value; returns the names of those that are gone, which only an erasure can explain. */
export function checkValues(entry: Stored, view: Payload, findings: Findings): string[] {
  const { commitments } = view;
  const unstored: readonly string[] = view.kind === 'trace' ? view.unstored : [];
  const sealed = sealedOf(entry);
  const gone: string[] = [];
  for (const [name, commitment] of Object.entries(commitments)) {
    const stored = sealed[name];
    if (!stored) {
      if (unstored.includes(name)) findings.payload.unstored++;
      else gone.push(name);
      continue;
    }
    findings.payload.checked++;
    const isIntact =
      isSealed(stored) && !unstored.includes(name) && matchesCommitment(name, stored, commitment);
    if (!isIntact) findings.mismatch(entry.sequence, `sealed.${name}`);
  }
  for (const name of Object.keys(sealed)) {
    if (!Object.hasOwn(commitments, name)) findings.mismatch(entry.sequence, `sealed.${name}`);
  }
  return gone;
}

function isSealed(value: SealedValue): boolean {
  return typeof value.seed === 'string' && typeof value.text === 'string';
}
