// One batch of one organisation: sealed, inserted, and sealed anew until every append in it has its answer (ledger.md, appending).
import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import type { Position, Stored } from '../entry.ts';
import type { Heads } from './heads.ts';
import { insertBatch } from './insert-batch.ts';
import type { AppendQueue } from './append-queue.ts';
import type { Pending } from './pending.ts';
import type { Probe } from '../probe.ts';
import { answerReplays, resolveReplay } from './replays.ts';
import { genesisHead, headOf, seal } from './seal.ts';
import type { Head, LedgerStore, Stop } from './store.ts';
import { backoff, persistently, sleep, type Timer } from '../timer.ts';
import { noteConflict } from './contention.ts';
import { unavailable } from './unavailable.ts';

export interface BatchParts {
  store: LedgerStore;
  chain: Chain;
  clock: Clock;
  timer: Timer;
  heads: Heads;
  probe: Probe;
  /** False while the clock differs from the database's: nothing is sealed. */
  ready: () => boolean;
  onSealed: (organizationId: string, head: Position) => void;
}

/** Resolves when every append of the batch is answered. @throws AppError when the rest cannot be appended now */
export async function appendBatch(
  lane: AppendQueue,
  batch: readonly Pending[],
  parts: BatchParts,
): Promise<void> {
  let rest = [...batch];
  for (let collisions = 0; rest.length > 0;) {
    lane.head ??= await readHead(lane, collisions, parts);
    const documents = await sealAll(lane, rest, parts);
    if (documents.length === 0) return refuseAll(lane, rest, parts);
    const { landed, head, stop } = await insertBatch(lane, documents, parts);
    if (head) lane.trust(head);
    else lane.head = null;
    await acknowledge(lane, { landed, batch: rest }, parts);
    rest = rest.filter(({ done }) => !done);
    lane.turns.won = stop === null;
    const met = stop && rest.find(({ id }) => id.equals(stop.document._id));
    if (stop && met) rest = await resolve(lane, { rest, met, reason: stop.reason }, parts);
    if (lane.head === null) collisions++;
  }
}

/** The newest entry by a majority read, provided that the chain still reaches everything known of it. */
async function readHead(lane: AppendQueue, collisions: number, parts: BatchParts): Promise<Head> {
  const { store, chain, timer, heads } = parts;
  for (let attempt = collisions; ; attempt++) {
    await sleep(timer, backoff(attempt));
    if (lane.trusted === null) await heads.confirm(lane.organizationId, null);
    const newest = await persistently(timer, () => store.newest(lane.id));
    const head = newest ? headOf(newest) : genesisHead(chain);
    const { trusted } = lane;
    if (!trusted || head.sequence > trusted.sequence || head.chainHash === trusted.chainHash) {
      lane.trust(head);
      return head;
    }
    await heads.confirm(lane.organizationId, trusted);
  }
}

/** The documents of those within their plan's limit; an empty list means that the head itself refuses all of them. */
async function sealAll(
  lane: AppendQueue,
  rest: readonly Pending[],
  parts: BatchParts,
): Promise<Stored[]> {
  const { chain, clock } = parts;
  if (!parts.ready()) throw unavailable('The clock of this instance differs from the database');
  const now = clock.now();
  const documents: Stored[] = [];
  let head = lane.head ?? genesisHead(chain);
  for (const pending of rest) {
    const ids = { _id: pending.id, organizationId: lane.id };
    const document = seal(pending.draft, ids, { head, now, chain });
    if (!document) continue;
    documents.push(document);
    head = document;
  }
  await parts.probe('sealed', lane.organizationId);
  return documents;
}

/** The limit of the plan is reached; what repeats an earlier decision is answered all the same. */
async function refuseAll(lane: AppendQueue, rest: Pending[], parts: BatchParts): Promise<void> {
  for (const pending of await answerReplays(lane, rest, parts))
    pending.fail(new AppError('USAGE_LIMIT_EXCEEDED'));
}

interface Acknowledged {
  landed: readonly Stored[];
  batch: readonly Pending[];
}

async function acknowledge(
  lane: AppendQueue,
  { landed, batch }: Acknowledged,
  parts: BatchParts,
): Promise<void> {
  const newest = landed.at(-1);
  if (!newest) return;
  const { organizationId } = lane;
  await parts.probe('acknowledged', organizationId);
  const entries = new Map(landed.map((entry) => [entry._id.toHexString(), entry]));
  const now = parts.clock.now().getTime();
  for (const pending of batch) {
    const entry = entries.get(pending.id.toHexString());
    if (!entry) continue;
    lane.latency.add(now - pending.queuedAt.getTime());
    pending.settle({ kind: 'sealed', entry });
  }
  const { sequence, chainHash } = newest;
  parts.heads.note(organizationId, { sequence, chainHash });
  parts.onSealed(organizationId, { sequence, chainHash });
  await parts.probe('answered', organizationId);
}

interface Met {
  rest: Pending[];
  met: Pending;
  reason: Stop;
}

/** Answers the append that stopped the batch, if that decides it; returns what is still to be appended, in order. */
async function resolve(
  lane: AppendQueue,
  { rest, met, reason }: Met,
  parts: BatchParts,
): Promise<Pending[]> {
  if (reason.kind === 'rejected') {
    met.fail(refusal(reason));
  } else if (reason.race === 'following') {
    met.settle({ kind: 'superseded' });
  } else if (reason.race === 'once') {
    return resolveReplay(lane, { rest, met }, parts);
  } else {
    noteConflict(lane, parts.clock);
    await parts.probe('collided', lane.organizationId);
  }
  return rest.filter(({ done }) => !done);
}

function refusal({ documentAtFault, cause }: Extract<Stop, { kind: 'rejected' }>): AppError {
  if (!documentAtFault) return new AppError('INTERNAL_ERROR', undefined, { cause });
  return new AppError('VALIDATION_ERROR', 'The database refused this document', { cause });
}
