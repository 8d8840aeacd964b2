// Which stored values of an entry are not what its payload commits to, whatever else is wrong with it.
import { matchesCommitment } from '../../domain/record/commitments.ts';
import { sealedOf, type Stored } from '../entry.ts';
import { isSealed } from './committed-values.ts';
import { parsedText } from './stored-columns.ts';

/** Of these names; none of those that are erased or were never stored. */
export function damagedNames(entry: Stored, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const sealed: Readonly<Record<string, unknown>> = sealedOf(entry);
  const commitments = commitmentsOf(entry.view);
  return names.filter((name) => {
    const stored = Object.hasOwn(sealed, name) ? sealed[name] : null;
    if (stored === null || stored === undefined) return false;
    const commitment = Object.hasOwn(commitments, name) ? commitments[name] : undefined;
    return (
      typeof commitment !== 'string' ||
      !isSealed(stored) ||
      !matchesCommitment(name, stored, commitment)
    );
  });
}

function commitmentsOf(view: unknown): Readonly<Record<string, unknown>> {
  const payload = parsedText(typeof view === 'string' ? view : null);
  const { commitments } = Object(payload) as { commitments?: unknown };
  return Object(commitments) as Readonly<Record<string, unknown>>;
}
