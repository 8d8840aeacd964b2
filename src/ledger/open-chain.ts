// Opens a chain: builds its store, heads, appender, fold and amendments.
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
  /** Appends that may wait per organisation. */
  queueLimit: number;
  onQuarantine: (organizationId: string, missing: Position) => void;
  probe?: Probe;
}

export interface OpenChain {
  appender: Appender;
  heads: Heads;
  fold: Fold;
  amendments: Amendments;
  /** Calls the listener after every batch: its chain has a new head. */
  onSealed: (listener: (organizationId: string) => void) => void;
  /** Erases the committed values of a deleted organisation's audit chain, in all entries but one. */
  emptyEntries: (organizationId: string, except: number) => Promise<void>;
}

export function openChain(chain: Chain, deps: ChainDeps): OpenChain {
  const { connection, clock, queueLimit, onQuarantine } = deps;
  const timer = systemTimer;
  const db = connection.getClient().db(connection.name);
  const store = createMongoStore({ db, chain, timer });
  const headRows = db.collection<HeadRow>(`heads_${chain.collection}`);
  const heads = createHeads({ collection: headRows, store, clock, timer, onQuarantine });
  const listeners: ((organizationId: string) => void)[] = [];
  const appender = createAppender({
    ...deps,
    store,
    chain,
    timer,
    heads,
    limits: { ...DEFAULT_LIMITS, queue: queueLimit },
    onSealed: (organizationId) => listeners.forEach((listener) => listener(organizationId)),
  });
  const fold = createFold(db, chain);
  return {
    appender,
    heads,
    fold,
    amendments: createAmendments({ ...deps, db, chain, appender, fold }),
    onSealed: (listener) => listeners.push(listener),
    emptyEntries: (organizationId, except) =>
      eraseAuditValues(db, objectId(organizationId), except),
  };
}
