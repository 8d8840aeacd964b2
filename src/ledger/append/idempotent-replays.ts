// Replayed requests: which entry already holds an idempotency key, and whether the key has expired (ledger.md, appending, 5).
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import type { Stored } from '../entry.ts';
import type { AppendQueue } from './append-queue.ts';
import type { PendingAppend } from './pending-append.ts';
import type { Probe } from '../probe.ts';
import type { LedgerStore } from './store.ts';
import { backoff, persistently, sleep, type Timer } from '../timer.ts';
import { unavailable } from './unavailable.ts';

/** About a second of waiting until a majority shows, or loses, the holder of a key. */
const UNSEEN_CONFLICTS_MAX = 12;

export interface ReplayDeps {
  store: LedgerStore;
  chain: Chain;
  clock: Clock;
  timer: Timer;
  probe: Probe;
}

/** An idempotency key as text, however the driver returned it. */
export function idempotencyKeyText(idempotencyKey: unknown): string {
  return typeof idempotencyKey === 'string'
    ? idempotencyKey
    : (idempotencyKey as Buffer).toString('base64');
}

/** Whether an entry's idempotency key has not expired. */
export function isFresh(
  entry: Stored,
  { clock, chain }: Pick<ReplayDeps, 'clock' | 'chain'>,
): boolean {
  return (
    chain.idempotencyTtlMs === null ||
    entry.createdAt.getTime() >= clock.now().getTime() - chain.idempotencyTtlMs
  );
}

/** The entries that hold the idempotency keys of these appends, by the key's text. */
async function holdersOf(
  queue: AppendQueue,
  batch: readonly PendingAppend[],
  { store, chain, timer }: ReplayDeps,
): Promise<Map<string, Stored>> {
  const keys = batch.flatMap(({ draft }) => draft.idempotencyKey ?? []);
  if (keys.length === 0) return new Map();
  const found = await persistently(timer, () =>
    store.byIdempotencyKey(queue.organizationObjectId, keys),
  );
  return new Map(found.map((entry) => [idempotencyKeyText(entry[chain.idempotencyField]), entry]));
}

/** Answers the appends that replay a fresh entry; returns the others. */
export async function answerReplays(
  queue: AppendQueue,
  batch: PendingAppend[],
  deps: ReplayDeps,
): Promise<PendingAppend[]> {
  const holders = await holdersOf(queue, batch, deps);
  for (const pending of batch) {
    const entry = holderOf(pending, holders);
    if (entry && isFresh(entry, deps)) pending.settle({ kind: 'repeated', entry });
  }
  return batch.filter(({ done }) => !done);
}

function holderOf(
  { id, draft }: PendingAppend,
  holders: ReadonlyMap<string, Stored>,
): Stored | null {
  const { idempotencyKey } = draft;
  const entry =
    idempotencyKey === null ? undefined : holders.get(idempotencyKeyText(idempotencyKey));
  return entry && !entry._id.equals(id) ? entry : null;
}

/**
 * After a conflict on the idempotency key of `culprit`: answers the replays in the rest of the batch, releases expired
 * keys, and lets `culprit` wait when no majority knows the holder. Returns the rest in the order in which to retry it.
 */
export async function resolveReplay(
  queue: AppendQueue,
  { rest, culprit }: { rest: PendingAppend[]; culprit: PendingAppend },
  deps: ReplayDeps,
): Promise<PendingAppend[]> {
  const holders = await holdersOf(queue, rest, deps);
  for (const pending of rest) {
    const entry = holderOf(pending, holders);
    if (entry && isFresh(entry, deps)) pending.settle({ kind: 'repeated', entry });
    else if (entry) await releaseKey(queue, entry, deps);
  }
  const others = rest.filter((pending) => pending !== culprit && !pending.done);
  if (culprit.done) return others;
  if (holderOf(culprit, holders)) return [culprit, ...others];
  if (++culprit.unseenConflicts > UNSEEN_CONFLICTS_MAX) {
    culprit.fail(unavailable('The outcome of an identical request is not known yet'));
    return others;
  }
  if (others.length === 0) await sleep(deps.timer, backoff(culprit.unseenConflicts));
  return [...others, culprit];
}

async function releaseKey(
  { organizationId }: AppendQueue,
  entry: Stored,
  { store, chain, clock, timer, probe }: ReplayDeps,
): Promise<void> {
  await probe('before-release', organizationId);
  const before = new Date(clock.now().getTime() - (chain.idempotencyTtlMs ?? 0));
  await persistently(timer, () => store.releaseIdempotencyKey(entry, before));
}
