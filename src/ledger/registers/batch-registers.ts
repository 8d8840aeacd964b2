// The registers that a batch depends on: read as of the head, and carried on from entry to entry.
import type { WindowSlot } from '../../domain/budgets/spending.ts';
import type { KnownSession } from '../../domain/sessions/session-register.ts';
import type { Timer } from '../../platform/concurrency/timer.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import type { PendingAppend } from '../append/pending-append.ts';
import type { Registers } from '../append/seal.ts';
import type { Head, LedgerStore } from '../append/store.ts';
import type { Draft, Stored } from '../entry.ts';
import { readShown } from '../shown-read.ts';
import { addRegisters, type KnownRegisters, toKnownSession } from './known-registers.ts';
import type { RegisterRow } from './register-reader.ts';

/** The registers as of the newest entry that was sealed in a batch. */
export class BatchRegisters implements Registers {
  readonly #known: KnownRegisters;
  readonly #spent = new Map<string, readonly WindowSlot[]>();
  readonly #sessions = new Map<string, { session: KnownSession | null }>();

  constructor({ registers }: AppendQueue) {
    this.#known = registers;
  }

  getSlots(key: string): readonly WindowSlot[] {
    return this.#spent.get(key) ?? this.#known.spent.get(key) ?? [];
  }

  getSession(key: string): KnownSession | null {
    return (this.#sessions.get(key) ?? this.#known.sessions.get(key))?.session ?? null;
  }

  addEntry(entry: Stored): void {
    addRegisters({ spent: this.#spent, sessions: this.#sessions }, entry);
  }
}

/** A batch that is to be sealed on a head. */
interface Batch {
  head: Head;
  batch: readonly PendingAppend[];
}

interface ReadDeps {
  store: LedgerStore;
  timer: Timer;
}

/** Reads the registers that a batch depends on and that are not known, as of the head that is built on. */
export async function loadRegisters(
  queue: AppendQueue,
  batch: Batch,
  deps: ReadDeps,
): Promise<void> {
  // Most batches depend on none (row ingest/R1).
  if (!batch.batch.some(({ draft }) => draft.spends ?? draft.session)) return;
  const { spent, sessions } = queue.registers;
  const sums = { register: 'spent', keys: listMissing(batch, listSums, spent) } as const;
  for (const [key, row] of await readMissing(queue, { ...batch, ...sums }, deps))
    spent.set(key, row?.spent?.find((one) => one.key === key)?.slots ?? []);
  const named = { register: 'session', keys: listMissing(batch, listSessions, sessions) } as const;
  for (const [key, row] of await readMissing(queue, { ...batch, ...named }, deps))
    sessions.set(key, { session: row ? toKnownSession(row) : null });
}

const listSums = ({ spends }: Draft): string[] => (spends?.added ?? []).map(({ key }) => key);
const listSessions = ({ session }: Draft): string[] => (session ? [session.committed.key] : []);

function listMissing(
  { batch }: Batch,
  list: (draft: Draft) => readonly string[],
  known: { has(key: string): boolean },
): string[] {
  const missing = new Set<string>();
  for (const { draft } of batch)
    for (const key of list(draft)) if (!known.has(key)) missing.add(key);
  return [...missing];
}

/** Each key with the newest entry that has it; undefined: none has. */
async function readMissing(
  { organizationObjectId: id }: AppendQueue,
  { head, register, keys }: Batch & { register: 'spent' | 'session'; keys: readonly string[] },
  { store, timer }: ReadDeps,
): Promise<(readonly [string, RegisterRow | undefined])[]> {
  if (head.sequence === 0 || keys.length === 0) return keys.map((key) => [key, undefined]);
  const found = await readShown(timer, 'The registers', () =>
    store.readRegisters(id, { register, keys }, head.sequence),
  );
  return keys.map((key) => [key, found.get(key)]);
}
