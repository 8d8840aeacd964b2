// Registers that are known as of an entry of a chain: sums of limits, and sessions.
import { LRUCache } from 'lru-cache';
import type { WindowSlot } from '../../domain/budgets/spending.ts';
import type { KnownSession } from '../../domain/sessions/session-register.ts';
import { limitEntries } from '../../domain/entry-limit.ts';
import type { Stored } from '../entry.ts';

/** Sums, and sessions, that one organisation keeps in memory. */
const KEPT_MAX = 1_000;

/** A session; null: no entry belongs to it yet. */
interface Found {
  session: KnownSession | null;
}

/** Registers by key, where an entry can be added. */
export interface RegisterMaps {
  spent: { set(key: string, slots: readonly WindowSlot[]): unknown };
  sessions: { set(key: string, found: Found): unknown };
}

export class KnownRegisters implements RegisterMaps {
  readonly spent = new LRUCache<string, readonly WindowSlot[]>(limitEntries(KEPT_MAX));
  readonly sessions = new LRUCache<string, Found>(limitEntries(KEPT_MAX));

  clear(): void {
    this.spent.clear();
    this.sessions.clear();
  }
}

/** Notes the registers of the next entry. */
export function addRegisters({ spent, sessions }: RegisterMaps, entry: Stored): void {
  for (const { key, slots } of entry.spent ?? []) spent.set(key, slots);
  const session = toKnownSession(entry);
  if (session) sessions.set(session.key, { session });
}

/** The session as an entry leaves it; null: it belongs to none. */
export const toKnownSession = ({
  session,
  traceId,
}: Pick<Stored, 'session' | 'traceId'>): KnownSession | null =>
  session ? { ...session, traceId: traceId ?? '' } : null;
