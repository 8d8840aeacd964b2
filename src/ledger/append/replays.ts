// Repeated appends: which entry already holds a `once`, and whether it is old enough to be used again (ledger.md, idempotency).
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import type { Stored } from '../entry.ts';
import type { AppendQueue } from './append-queue.ts';
import type { Pending } from './pending.ts';
import type { Probe } from '../probe.ts';
import type { LedgerStore } from './store.ts';
import { backoff, persistently, sleep, type Timer } from '../timer.ts';
import { unavailable } from './unavailable.ts';

/** About a second of waiting for a majority to see, or lose, the entry that was met. */
const UNSEEN_LIMIT = 12;

export interface ReplayDeps {
  store: LedgerStore;
  chain: Chain;
  clock: Clock;
  timer: Timer;
  probe: Probe;
}

/** A `once` as text, however the driver returned it. */
export function idempotencyKeyText(once: unknown): string {
  return typeof once === 'string' ? once : (once as Buffer).toString('base64');
}

/** Whether an entry's `once` still stands for a repetition. */
export function isFresh(
  entry: Stored,
  { clock, chain }: Pick<ReplayDeps, 'clock' | 'chain'>,
): boolean {
  return (
    chain.idempotencyTtlMs === null ||
    entry.createdAt.getTime() >= clock.now().getTime() - chain.idempotencyTtlMs
  );
}

/** The entries that hold the `once` of these appends, by the text of it. */
async function holders(
  lane: AppendQueue,
  batch: readonly Pending[],
  parts: ReplayDeps,
): Promise<Map<string, Stored>> {
  const keys = batch.flatMap(({ draft }) => (draft.once === null ? [] : [draft.once]));
  if (keys.length === 0) return new Map();
  const found = await persistently(parts.timer, () => parts.store.byIdempotencyKey(lane.id, keys));
  return new Map(
    found.map((entry) => [idempotencyKeyText(entry[parts.chain.idempotencyField]), entry]),
  );
}

/** Answers those that repeat a fresh entry; returns the others. */
export async function answerReplays(
  lane: AppendQueue,
  batch: Pending[],
  parts: ReplayDeps,
): Promise<Pending[]> {
  const held = await holders(lane, batch, parts);
  for (const pending of batch) {
    const entry = holderOf(pending, held);
    if (entry && isFresh(entry, parts)) pending.settle({ kind: 'repeated', entry });
  }
  return batch.filter(({ done }) => !done);
}

function holderOf({ id, draft }: Pending, held: ReadonlyMap<string, Stored>): Stored | null {
  const entry = draft.once === null ? undefined : held.get(idempotencyKeyText(draft.once));
  return entry && !entry._id.equals(id) ? entry : null;
}

/**
 * After a collision on the `once` of `met`: answers the repetitions in the rest of the batch, frees old keys, and lets
 * `met` wait when no majority knows its holder. Returns the rest in the order in which it is to be tried again.
 */
export async function resolveReplay(
  lane: AppendQueue,
  { rest, met }: { rest: Pending[]; met: Pending },
  parts: ReplayDeps,
): Promise<Pending[]> {
  const { store, chain, clock, timer, probe } = parts;
  const held = await holders(lane, rest, parts);
  for (const pending of rest) {
    const entry = holderOf(pending, held);
    if (!entry) continue;
    if (isFresh(entry, parts)) {
      pending.settle({ kind: 'repeated', entry });
      continue;
    }
    await probe('before-release', lane.organizationId);
    const before = new Date(clock.now().getTime() - (chain.idempotencyTtlMs ?? 0));
    await persistently(timer, () => store.releaseIdempotencyKey(entry, before));
  }
  const others = rest.filter((pending) => pending !== met && !pending.done);
  if (met.done || holderOf(met, held)) return met.done ? others : [met, ...others];
  if (++met.unseen > UNSEEN_LIMIT)
    met.fail(unavailable('The outcome of the same request is not known yet'));
  else if (others.length === 0) await sleep(timer, backoff(met.unseen));
  return met.done ? others : [...others, met];
}
