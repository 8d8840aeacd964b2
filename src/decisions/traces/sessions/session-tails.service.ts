// Lets the decisions of a session be judged one after the other, each on the state that the one before leaves.
import { LRUCache } from 'lru-cache';
import { sealSession, type KnownSession } from '../../../domain/sessions/session-register.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';
import type { Draft } from '../../../ledger/entry.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';

/** Sessions whose newest state is kept in memory. */
const KEPT_MAX = 10_000;

type TraceDraft = Draft<TraceDocument>;

interface SessionName {
  organizationId: string;
  key: string;
}

const openTails = perInstance(() => ({
  turns: new KeyedMutex(),
  /** Sessions as their newest drafts leave them. The seal refuses what builds on one that was not sealed. */
  tails: new LRUCache<string, { session: KnownSession | null }>(limitEntries(KEPT_MAX)),
}));

const toName = ({ organizationId, key }: SessionName): string => `${organizationId}/${key}`;

/** Drafts a decision on the state that the session is in, or will be in once the drafts before are sealed. */
export function draftInTurn(
  platform: Platform,
  session: SessionName,
  draft: (known: KnownSession | null) => Promise<TraceDraft>,
): Promise<TraceDraft> {
  const { turns, tails } = openTails(platform);
  const name = toName(session);
  return turns.runExclusive(name, async () => {
    const known = tails.get(name) ?? { session: await readSession(platform, session) };
    const drafted = await draft(known.session);
    const next =
      drafted.session && sealSession(known.session, drafted.session, platform.clock.now());
    if (next) tails.set(name, { session: { ...next, traceId: drafted.traceId ?? '' } });
    return drafted;
  });
}

/** Runs work while no other decision of the session is judged. */
export function runAlone<T>(
  platform: Platform,
  session: SessionName,
  work: () => Promise<T>,
): Promise<T> {
  const name = toName(session);
  return openTails(platform).turns.runExclusive(name, work);
}

/** Forgets what was drafted unless it is sealed: the next decision reads what the chain has. */
export async function forgetUnsealed<O extends { kind: string }>(
  platform: Platform,
  { organizationId, session }: TraceDraft,
  appending: Promise<O>,
): Promise<O> {
  const name = toName({ organizationId, key: session?.committed.key ?? '' });
  const { tails } = openTails(platform);
  try {
    const outcome = await appending;
    if (outcome.kind !== 'sealed') tails.delete(name);
    return outcome;
  } catch (error) {
    tails.delete(name);
    throw error;
  }
}

/** The session as its newest entry left it. */
export const readSession = (
  { ledger }: Platform,
  { organizationId, key }: SessionName,
): Promise<KnownSession | null> => ledger.sessions.readNewest(organizationId, key);
