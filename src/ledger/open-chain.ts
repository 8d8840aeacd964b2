// Everything that works on one chain, put together: store, heads, appender, fold, later facts.
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import { createAppender, DEFAULT_LIMITS } from './append/appender.ts';
import type { Chain } from './chains.ts';
import type { Appender, Position } from './entry.ts';
import { createFold, eraseAuditValues, type Fold } from './amend/fold.ts';
import { createHeads, type HeadRow, type Heads } from './append/heads.ts';
import { createAmendments, type Amendments } from './amend/amendments.ts';
import { objectId } from './ledger.model.ts';
import { createMongoStore } from './append/mongo-store.ts';
import type { Probe } from './probe.ts';
import { systemTimer } from './timer.ts';

export interface ChainDeps {
  connection: Connection;
  clock: Clock;
  newId: () => string;
  /** False while nothing may be sealed. */
  ready: () => boolean;
  /** Appends of one organisation that may wait. */
  queueLimit: number;
  onQuarantine: (organizationId: string, missing: Position) => void;
  probe?: Probe;
}

export interface OpenChain {
  appender: Appender;
  heads: Heads;
  fold: Fold;
  amendments: Amendments;
  /** Tells the listener after every batch; its chain has a new head. */
  onSealed: (listener: (organizationId: string) => void) => void;
  /** Of a deleted organisation's audit chain: every entry but one loses its committed values. */
  emptyEntries: (organizationId: string, except: number) => Promise<void>;
}

export function openChain(chain: Chain, world: ChainDeps): OpenChain {
  const { connection, clock, newId, ready, queueLimit, onQuarantine } = world;
  const probe = world.probe && { probe: world.probe };
  const db = connection.getClient().db(connection.name);
  const store = createMongoStore({ db, chain, timer: systemTimer });
  const collection = db.collection<HeadRow>(`heads_${chain.collection}`);
  const heads = createHeads({ collection, store, clock, timer: systemTimer, onQuarantine });
  const limits = { ...DEFAULT_LIMITS, queue: queueLimit };
  const listeners: ((organizationId: string) => void)[] = [];
  const appender = createAppender({
    store,
    chain,
    clock,
    timer: systemTimer,
    heads,
    ready,
    onSealed: (organizationId) => listeners.forEach((listener) => listener(organizationId)),
    newId,
    limits,
    ...probe,
  });
  const fold = createFold(db, chain);
  return {
    appender,
    heads,
    fold,
    amendments: createAmendments({ db, chain, appender, fold, ...probe }),
    onSealed: (listener) => listeners.push(listener),
    emptyEntries: (organizationId, except) =>
      eraseAuditValues(db, objectId(organizationId), except),
  };
}
