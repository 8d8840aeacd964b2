// A chain for one test file on the run's mongod: indexes, appenders, drafts, and all stored entries.
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, inject } from 'vitest';
import { computePayloadDigest } from '../../../src/domain/record/chain.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { generateId } from '../../../src/platform/ids.ts';
import {
  type AppenderDeps,
  createAppender,
  DEFAULT_LIMITS,
} from '../../../src/ledger/append/appender.ts';
import { listChainIndexes, DECISIONS } from '../../../src/ledger/chains.ts';
import {
  type CursorDocument,
  cursorSchema,
  type DeadLetterDocument,
  deadLetterSchema,
} from '../../../src/ledger/follow/cursors.model.ts';
import type { Appender, Draft, Position, Stored } from '../../../src/ledger/entry.ts';
import { createHeads, type Heads } from '../../../src/ledger/heads/heads.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { createMongoStore } from '../../../src/ledger/append/mongo-store.ts';
import { systemTimer, type Timer } from '../../../src/platform/concurrency/timer.ts';

/** A timer that waits a hundredth of the time. */
export const hastyTimer: Timer = {
  schedule: (ms, run) => systemTimer.schedule(ms / 100, run),
  elapsed: () => systemTimer.elapsed() * 100,
};

type InstanceDeps = Pick<
  AppenderDeps,
  'clock' | 'onSealed' | 'ready' | 'limits' | 'store' | 'keyLeases'
>;

export interface Instance {
  appender: Appender;
  heads: Heads;
  quarantined: Position[];
}

/** A database of the calling test file's own, dropped afterwards. */
export class RealChain {
  connection!: Connection;

  constructor(name: string) {
    beforeAll(async () => {
      this.connection = await mongoose
        .createConnection(inject('mongoUri'), { dbName: `ledger-${name}` })
        .asPromise();
      const { db } = this;
      await db.dropDatabase();
      for (const { key, options } of listChainIndexes(DECISIONS)) {
        await db.collection(DECISIONS.collection).createIndex(key, options);
      }
      await this.models().cursors.init();
      await Promise.all(Object.values(this.models()).map((model) => model.createIndexes()));
    });
    afterAll(async () => {
      await this.db.dropDatabase();
      await this.connection.close();
    });
  }

  get db() {
    return this.connection.getClient().db(this.connection.name);
  }

  models() {
    const { connection } = this;
    return {
      cursors: connection.models.Cursor ?? connection.model<CursorDocument>('Cursor', cursorSchema),
      deadLetters:
        connection.models.Parked ??
        connection.model<DeadLetterDocument>('Parked', deadLetterSchema),
    };
  }

  /** One instance of the server. */
  start({
    clock = systemClock,
    onSealed = () => {},
    ready = () => true,
    limits = DEFAULT_LIMITS,
    store = createMongoStore({ db: this.db, chain: DECISIONS, timer: systemTimer }),
    keyLeases,
  }: Partial<InstanceDeps> = {}): Instance {
    const { db } = this;
    const quarantined: Position[] = [];
    const heads = createHeads({
      store,
      clock,
      timer: hastyTimer,
      db,
      chain: DECISIONS,
      onQuarantine: (_organizationId, missing) => quarantined.push(missing),
      onDatedAhead: () => undefined,
    });
    const appender = createAppender({
      store,
      chain: DECISIONS,
      clock,
      timer: systemTimer,
      heads,
      generateId,
      limits,
      onSealed,
      ready,
      keyLeases,
    });
    return { appender, heads, quarantined };
  }

  async entries(organizationId: string): Promise<Stored[]> {
    const filter = { organizationId: toObjectId(organizationId) };
    const found = this.db
      .collection<Stored>(DECISIONS.collection)
      .find(filter)
      .sort({ sequence: 1 });
    return (await found.toArray()) as Stored[];
  }
}

let drafts = 0;

/** A decision unlike any before. */
export function draft(organizationId: string, over: Partial<Draft> = {}): Draft {
  const payload = over.payload ?? JSON.stringify({ number: ++drafts, commitments: {} });
  const common = {
    organizationId,
    kind: 'trace',
    traceId: `trace-${drafts}`,
    fields: {},
    idempotencyKey: null,
    monthlyLimit: null,
  } as const;
  return { ...common, payloadDigest: computePayloadDigest(payload), payload, ...over };
}
