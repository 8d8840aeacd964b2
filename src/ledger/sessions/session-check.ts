// Checks that each session is what its entries made of it, and that each decision was judged on it.
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { limitEntries } from '../../domain/entry-limit.ts';
import { OBSERVED } from '../../domain/otlp/observed.ts';
import { type CommittedState, tryReadCommittedState } from '../../domain/record/committed-state.ts';
import {
  isJudgedOn,
  type KnownSession,
  readSessionChange,
  sealSession,
} from '../../domain/sessions/session-register.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { toKnownSession } from '../registers/known-registers.ts';
import { readRegisters } from '../registers/register-reader.ts';
import type { CheckedChain, CheckRegister } from '../register-checks.ts';
import type { Findings } from '../verify/report.ts';

/** Sessions that are kept in memory; others are read again. */
const SESSIONS_MAX = 10_000;
/** Whether an entry belongs to the session that its committed values name. */
export function isSessionAsCommitted(entry: Stored): boolean {
  const { session } = entry;
  // Most entries have neither (row verify).
  if (!getCommittedValues(entry)['state'] && session === undefined) return true;
  return tryReadCommittedState(entry['sealed'])?.session?.key === session?.key;
}

/** Finds sessions that are not what their entries made of them, and decisions that were judged on another state. */
export function openSessionCheck(chain: CheckedChain): CheckRegister {
  const known: Known = { ...chain, sessions: new LRUCache(limitEntries(SESSIONS_MAX)) };
  return (entry, state, findings) => checkEntry(entry, state, { known, findings });
}

interface Known extends CheckedChain {
  sessions: LRUCache<string, { session: KnownSession | null }>;
}

async function checkEntry(
  entry: Stored,
  state: CommittedState | null,
  { known, findings }: { known: Known; findings: Findings },
): Promise<void> {
  const { sequence, createdAt } = entry;
  const stated = toKnownSession(entry);
  if (!state?.session || !stated) return findings.addMismatch(sequence, 'session');
  const { session: committed } = state;
  const last = await readBefore(committed.key, sequence, known);
  const sealed = sealSession(last, { committed, change: readChange(entry, state) }, createdAt);
  const { traceId: _of, ...register } = stated;
  if (!isDeepStrictEqual(sealed, register)) findings.addMismatch(sequence, 'session');
  known.sessions.set(committed.key, { session: stated });
  if (entry.kind !== 'trace') return;
  const inherited = committed.from && (await readLabels(committed.from, sequence, known));
  if (isJudgedOn(committed, last, inherited)) return;
  const what = 'it was judged on another state of its session';
  findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
}

function readChange(entry: Stored, state: CommittedState): ReturnType<typeof readSessionChange> {
  const { kind, traceId, view, tags } = entry as Stored & { tags?: string[] };
  const said = JSON.parse(view) as { status?: string; decision?: string };
  const isObserved = tags?.includes(OBSERVED) ?? false;
  return readSessionChange({ traceId: traceId ?? '', kind, isObserved, ...said }, state);
}

/** The session before an entry. */
async function readBefore(
  key: string,
  sequence: number,
  { entries, organizationId, sessions }: Known,
): Promise<KnownSession | null> {
  const known = sessions.get(key);
  if (known) return known.session;
  const wanted = { register: 'session', keys: [key] } as const;
  const found = await readRegisters(entries, { organizationId, head: sequence - 1 }, wanted);
  const row = found?.get(key);
  return row ? toKnownSession(row) : null;
}

/** The labels of the session that another one begins with; undefined where that entry does not come before. */
async function readLabels(
  { key, sequence }: { key: string; sequence: number },
  before: number,
  { entries, organizationId }: Known,
): Promise<KnownSession['state']['labels'] | undefined> {
  if (sequence >= before) return undefined;
  const found = await entries.findOne({ organizationId, sequence }, MAJORITY);
  return found?.session?.key === key ? found.session.state.labels : undefined;
}
