// Checks the committed values of one entry against the commitments in its payload.
import { isCommittedValue, type CommittedValue } from '../../domain/record/commitments.ts';
import { listUnstored, type Payload } from '../../domain/record/payload.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import type { Findings } from './report.ts';

/** Checks every stored value against its commitment; a stored value without a commitment is a mismatch. */
export function checkValues(entry: Stored, payload: Payload, findings: Findings): void {
  const { commitments } = payload;
  const unstored = listUnstored(payload);
  const sealed = getCommittedValues(entry);
  findings.payload.unstored += unstored.filter((name) => !sealed[name]).length;
  for (const name of unstored)
    if (!Object.hasOwn(commitments, name)) findings.addMismatch(entry.sequence, `unstored.${name}`);
  for (const [name, stored] of Object.entries(sealed)) {
    const commitment = Object.hasOwn(commitments, name) ? commitments[name] : undefined;
    if (!stored && commitment !== undefined) continue;
    findings.payload.checked++;
    const isIntact =
      commitment !== undefined &&
      isCommitted(stored) &&
      !unstored.includes(name) &&
      isCommittedValue(name, stored, commitment);
    if (!isIntact) findings.addMismatch(entry.sequence, `sealed.${name}`);
  }
}

/** Finds the names of values that were stored once and are missing: only an erasure explains that. */
export function findGoneValues(entry: Stored, payload: Payload): string[] {
  const sealed = getCommittedValues(entry);
  const unstored = listUnstored(payload);
  return Object.keys(payload.commitments).filter(
    (name) => !sealed[name] && !unstored.includes(name),
  );
}

/** Returns whether a value is a text with its seed, and has no other members. */
function isCommitted(value: unknown): value is CommittedValue {
  if (typeof value !== 'object' || value === null) return false;
  const { seed, text } = value as Partial<CommittedValue>;
  return typeof seed === 'string' && typeof text === 'string' && Object.keys(value).length === 2;
}

/** Finds which of these names have a stored value that the payload does not commit to. The entry may hold anything. */
export function findDamagedNames(entry: Stored, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const sealed: Readonly<Record<string, unknown>> = getCommittedValues(entry);
  const commitments = readCommitments(entry.view);
  return names.filter((name) => {
    const stored = Object.hasOwn(sealed, name) ? sealed[name] : null;
    if (stored === null || stored === undefined) return false;
    const commitment = Object.hasOwn(commitments, name) ? commitments[name] : undefined;
    return (
      typeof commitment !== 'string' ||
      !isCommitted(stored) ||
      !isCommittedValue(name, stored, commitment)
    );
  });
}

function readCommitments(view: unknown): Readonly<Record<string, unknown>> {
  const payload = parseStoredText(typeof view === 'string' ? view : null);
  const { commitments } = Object(payload) as { commitments?: unknown };
  return Object(commitments) as Readonly<Record<string, unknown>>;
}

/** Parses a stored text; null: there is none; undefined: it is not readable. */
export function parseStoredText(text: string | null | undefined): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
