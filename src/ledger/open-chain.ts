// Opens a chain: builds its store, heads, appender, fold and amendments.
import type { Connection, mongo } from 'mongoose';
import type { ReadSessionKey } from '../domain/halt/halt.ts';
import type { Clock } from '../platform/clock.ts';
import { createAppender, DEFAULT_LIMITS } from './append/appender.ts';
import type { Chain } from './chains.ts';
import type { Appender, Position, Sealed, Stored } from './entry.ts';
import type { Contents } from './contents/contents.ts';
import { createFold, type Fold } from './amend/fold.ts';
import type { ColumnPayload, Columns } from './columns.ts';
import { eraseAuditValues } from './entry-updates.ts';
import { createHaltReader, type HaltReader } from './halts/halt-reader.ts';
import { createSessionReader, type SessionReader } from './sessions/session-reader.ts';
import { createSumReader, type SumReader } from './spending/spent-reader.ts';
import { createHeads, type Heads } from './heads/heads.ts';
import { createAmendments, type Amendments } from './amend/amendments.ts';
import { type Attestations, createAttestations } from './amend/attestations.ts';
import { createLostHeads, type LostHeads } from './heads/lost-heads.ts';
import { createMongoStore } from './append/mongo-store.ts';
import type { PromiseBatch } from './append/promises.ts';
import type { Probe } from './probe.ts';
import { systemTimer } from '../platform/concurrency/timer.ts';
import type { LeaseDeps } from './worker-lease.ts';

/** Dependencies of a chain. `T`: the documents that are appended to it, `P`: their payload. */
export interface ChainDeps<T extends Sealed, P extends ColumnPayload> extends Pick<
  LeaseDeps,
  'keyLeases'
> {
  connection: Connection;
  clock: Clock;
  columns: Columns<T, P>;
  generateId: () => string;
  /** Absent: contents are stored as they are. */
  contents?: Contents;
  /** False while nothing may be sealed. */
  ready: () => boolean;
  /** Derives what a halt of a session names; absent: no session is halted. */
  readSessionKey?: ReadSessionKey;
  /** Appends that may wait per organisation. */
  queueLimit: number;
  onQuarantine: (organizationId: string, missing: Position) => void;
  onDatedAhead: (organizationId: string, createdAt: Date) => void;
  probe?: Probe;
  /** Called after a decision was amended. */
  onAmended?: (organizationId: string) => void;
}

type SealedListener = (organizationId: string, entries: readonly Stored[]) => void;

/** The services of one chain, over one store. */
export interface OpenChain<T extends Sealed> {
  appender: Appender<T>;
  heads: Heads;
  lostHeads: LostHeads;
  fold: Fold;
  amendments: Amendments<T>;
  attestations: Attestations;
  halts: HaltReader;
  sums: SumReader;
  sessions: SessionReader;
  /** Registers a listener that is called after every durable batch, with its entries and their values readable. */
  onSealed: (listener: SealedListener) => void;
  /** Sets what promises the entries of each batch from now on. */
  setPromiser: (signBatch: PromiseBatch) => void;
  /** Erases the committed values of a deleted organisation's audit chain, in all entries but the one at `except`. */
  emptyEntries: (organizationId: string, except: number) => Promise<void>;
}

/** Opens a chain. A process SHOULD open each chain once: queues and caches are not shared between two. */
export function openChain<T extends Sealed, P extends ColumnPayload>(
  chain: Chain,
  deps: ChainDeps<T, P>,
): OpenChain<T> {
  const { queueLimit } = deps;
  const db = getDatabase(deps);
  const base = { ...deps, db, chain, timer: systemTimer };
  const store = createMongoStore(base);
  const heads = createHeads({ ...base, store });
  const followers = createFollowers();
  const appender = createAppender<T>({
    ...base,
    store,
    heads,
    limits: { ...DEFAULT_LIMITS, queue: queueLimit },
    ...followers.hooks,
  });
  const fold = createFold(base);
  const halts = createHaltReader(base);
  const parts = { ...base, appender, fold, halts };
  return {
    appender,
    heads,
    lostHeads: createLostHeads(base),
    fold,
    amendments: createAmendments(parts),
    attestations: createAttestations(parts),
    halts,
    sums: createSumReader(db, chain),
    sessions: createSessionReader(db, chain),
    onSealed: followers.onSealed,
    setPromiser: followers.setPromiser,
    emptyEntries: (organizationId, except) => eraseAuditValues(db, organizationId, except),
  };
}

/** Hooks that are set after the chain was opened: listeners of sealed entries, and the signer of promises. */
function createFollowers() {
  const listeners: SealedListener[] = [];
  let promiser: PromiseBatch | null = null;
  const notify: SealedListener = (organizationId, entries) =>
    listeners.forEach((listener) => listener(organizationId, entries));
  return {
    hooks: { getPromiser: () => promiser, onSealed: notify },
    onSealed: (listener: SealedListener): void => void listeners.push(listener),
    setPromiser: (signBatch: PromiseBatch): void => void (promiser = signBatch),
  };
}

function getDatabase({ connection }: { connection: Connection }): mongo.Db {
  return connection.getClient().db(connection.name);
}
