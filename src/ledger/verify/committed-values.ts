// Checks the committed values of one entry against the commitments in its payload.
import { matchesCommitment, type SealedValue } from '../../domain/record/commitments.ts';
import type { Payload } from '../../domain/record/payload.ts';
import { sealedOf, type Stored } from '../entry.ts';
import type { Findings } from './report.ts';

/** Checks every value; returns the names of those that are gone, which only an erasure explains. */
export function checkValues(entry: Stored, payload: Payload, findings: Findings): string[] {
  const { commitments } = payload;
  const unstored: readonly string[] = payload.kind === 'trace' ? payload.unstored : [];
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
