// Reads registers from the entries that a simulated store shows, as the real store reads them.
import type { Spent } from '../../../src/domain/budgets/spending.ts';
import type { SessionRegister } from '../../../src/domain/sessions/session-register.ts';
import type { RegisterRow } from '../../../src/ledger/registers/register-reader.ts';

interface Entry {
  sequence: number;
  traceId?: string | null;
  spent?: Spent[];
  session?: SessionRegister;
}

/** Null where the head is not shown. */
export function readRegistersOf(
  entries: readonly Entry[],
  { register, keys }: { register: 'spent' | 'session'; keys: readonly string[] },
  head: number,
): ReadonlyMap<string, RegisterRow> | null {
  if (!entries.some(({ sequence }) => sequence === head)) return null;
  const found = new Map<string, RegisterRow>();
  const shown = entries.filter(({ sequence }) => sequence <= head);
  for (const entry of shown.toSorted((one, other) => one.sequence - other.sequence))
    for (const { key } of [entry[register] ?? []].flat())
      if (keys.includes(key)) found.set(key, entry as RegisterRow);
  return found;
}
