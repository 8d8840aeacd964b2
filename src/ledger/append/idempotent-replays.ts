// Answers replays: finds the entry that has an idempotency key, releases expired keys (ledger.md, appending, 5).
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import type { Stored } from '../entry.ts';
import type { AppendQueue } from './append-queue.ts';
import type { PendingAppend } from './pending-append.ts';
import type { Probe } from '../probe.ts';
import type { LedgerStore } from './store.ts';
import { computeBackoff, retryRead } from '../../platform/concurrency/backoff.ts';
import { sleep, type Timer } from '../../platform/concurrency/timer.ts';
import { createUnavailableError } from './unavailable.ts';

/** About one second of waiting until a majority shows, or has lost, the owner of a key. */
const UNSEEN_CONFLICTS_MAX = 12;

export interface ReplayDeps {
  store: LedgerStore;
  chain: Chain;
  clock: Clock;
  timer: Timer;
  probe: Probe;
}

/** Returns an idempotency key as text, whichever type the driver read it as. */
export function toKeyText(idempotencyKey: unknown): string {
  return typeof idempotencyKey === 'string'
    ? idempotencyKey
    : (idempotencyKey as Buffer).toString('base64');
}

type ClockedChain = Pick<ReplayDeps, 'clock' | 'chain'>;

/** Returns whether the idempotency key of an entry, as it is stored now, has not expired. */
export function isFresh(entry: Stored, { clock, chain }: ClockedChain): boolean {
  if (isWithin(entry.createdAt, clock, chain.idempotencyTtlMs)) return true;
  if (chain.hold === null) return false;
  const { status, open, endedAt } = chain.hold;
  if (readPath(entry, status) === open) return !entry['deletedAt'];
  const end = readPath(entry, endedAt);
  return end instanceof Date && isWithin(end, clock, chain.idempotencyTtlMs);
}

function isWithin(from: Date, clock: Clock, ttlMs: number | null): boolean {
  return ttlMs === null || from.getTime() >= clock.now().getTime() - ttlMs;
}

function readPath(entry: Stored, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], entry);
}

/** Finds the entries that have the idempotency keys of these appends, by the text of the key. */
async function findOwners(
  queue: AppendQueue,
  batch: readonly PendingAppend[],
  { store, chain, timer }: ReplayDeps,
): Promise<Map<string, Stored>> {
  const keys = batch.flatMap(({ draft }) => draft.idempotencyKey ?? []);
  if (keys.length === 0) return new Map();
  const found = await retryRead(timer, () =>
    store.findByIdempotencyKey(queue.organizationObjectId, keys),
  );
  return new Map(found.map((entry) => [toKeyText(entry[chain.idempotencyField]), entry]));
}

/** Answers the appends that replay an entry whose key has not expired; returns the others, in order. */
export async function answerReplays(
  queue: AppendQueue,
  batch: PendingAppend[],
  deps: ReplayDeps,
): Promise<PendingAppend[]> {
  const owners = await findOwners(queue, batch, deps);
  for (const pending of batch) {
    const entry = findOwner(pending, owners);
    if (entry && isFresh(entry, deps)) pending.settle({ kind: 'repeated', entry });
  }
  return batch.filter(({ done }) => !done);
}

function findOwner(
  { id, draft }: PendingAppend,
  owners: ReadonlyMap<string, Stored>,
): Stored | null {
  const { idempotencyKey } = draft;
  const entry = idempotencyKey === null ? undefined : owners.get(toKeyText(idempotencyKey));
  return entry && !entry._id.equals(id) ? entry : null;
}

/**
 * Resolves a conflict on the idempotency key of `culprit`: answers the replays in the rest of the batch, releases
 * expired keys, and moves `culprit` to the end while no majority shows the owner of its key. Returns the unanswered
 * appends in the order in which the caller MUST retry them.
 */
export async function resolveReplay(
  queue: AppendQueue,
  { rest, culprit }: { rest: PendingAppend[]; culprit: PendingAppend },
  deps: ReplayDeps,
): Promise<PendingAppend[]> {
  const owners = await findOwners(queue, rest, deps);
  for (const pending of rest) {
    const entry = findOwner(pending, owners);
    if (entry && isFresh(entry, deps)) pending.settle({ kind: 'repeated', entry });
    else if (entry) await releaseKey(queue, entry, deps);
  }
  const others = rest.filter((pending) => pending !== culprit && !pending.done);
  if (culprit.done) return others;
  if (findOwner(culprit, owners)) return [culprit, ...others];
  if (++culprit.unseenConflicts > UNSEEN_CONFLICTS_MAX) {
    culprit.reject(createUnavailableError('The outcome of an identical request is not known yet'));
    return others;
  }
  if (others.length === 0) await sleep(deps.timer, computeBackoff(culprit.unseenConflicts));
  return [...others, culprit];
}

async function releaseKey(
  { organizationId }: AppendQueue,
  entry: Stored,
  { store, chain, clock, timer, probe }: ReplayDeps,
): Promise<void> {
  await probe('before-release', organizationId);
  const before = new Date(clock.now().getTime() - (chain.idempotencyTtlMs ?? 0));
  await retryRead(timer, () => store.releaseIdempotencyKey(entry, before));
}
