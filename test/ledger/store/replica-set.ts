// Simulates a collection of a replica set: lagging commits, step-downs with rollback, lost answers.
import { readRegistersOf } from './registers-of.ts';
import { toHaltEntry } from '../../../src/ledger/halts/halt-entries.ts';
import type { Types } from 'mongoose';
import type { Stored } from '../../../src/ledger/entry.ts';
import { toHead } from '../../../src/ledger/append/seal.ts';
import type {
  InsertOutcome,
  LedgerStore,
  ConflictIndex,
} from '../../../src/ledger/append/store.ts';
import type { Chance } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';

/** Mutations of the store contract that the invariants must notice. */
export const MUTATIONS = [
  'acknowledges-before-majority',
  'reads-without-majority',
  'trusts-the-inserted-count',
  'overlooks-write-concern-errors',
  'takes-its-own-conflict-for-an-acknowledgement',
  'has-no-chain-index',
  'has-no-idempotency-index',
  'has-no-following-index',
] as const;
export type Mutation = (typeof MUTATIONS)[number];

type Operation = { insert: Stored } | { release: string };
type Fate = 'well' | 'lost' | 'late' | 'unanswered' | 'cut' | 'concern';

const FATES: readonly Fate[] = ['lost', 'late', 'unanswered', 'cut', 'concern'];
const TROUBLE = new Error('the network');

export interface ReplicaSetDeps {
  time: VirtualTime;
  chance: Chance;
  /** Probability of trouble for one command. */
  trouble: number;
  mutation: Mutation | null;
}

export class ReplicaSet {
  readonly #deps: ReplicaSetDeps;
  #log: Operation[] = [];
  #committed = 0;
  #term = 0;
  #hasPrimary = true;
  /** Time until which a new primary shows an old majority state. */
  #lagsUntil = 0;
  #current: Stored[] | null = null;
  #waiting: { index: number; term: number; settle: (isCommitted: boolean) => void }[] = [];
  isCalm = false;

  constructor(deps: ReplicaSetDeps) {
    this.#deps = deps;
  }

  /** Returns the entries of the primary; they are final once everything has settled. */
  entries(): readonly Stored[] {
    return (this.#current ??= visible(this.#log));
  }

  /** Returns the entries on a majority: only these may be built on. */
  committed(): readonly Stored[] {
    return visible(this.#log.slice(0, this.#committed));
  }

  #write(operation: Operation): void {
    this.#log.push(operation);
    this.#current = null;
  }

  /** The primary steps down; a suffix that no majority has is rolled back. */
  stepDown(): void {
    const { time, chance } = this.#deps;
    this.#log.length = chance.integer(this.#committed, this.#log.length);
    this.#term++;
    this.#current = null;
    this.#hasPrimary = false;
    for (const { settle } of this.#waiting.splice(0)) settle(false);
    time.schedule(chance.integer(5, 60), () => {
      this.#hasPrimary = true;
      this.#lagsUntil = time.now + chance.integer(0, 40);
      this.#commitLater();
    });
  }

  /** Creates the store of one instance; after `isAlive` turns false its calls are never answered. */
  storeFor(instance: { isAlive: boolean }): LedgerStore {
    const answer = <T>(work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        work().then(
          (value) => instance.isAlive && resolve(value),
          (error: unknown) => instance.isAlive && reject(error as Error),
        );
      });
    const keyOf = (entry: Stored) => entry.idempotencyKey as string | undefined;
    return {
      insertOrdered: (documents) =>
        answer(() => this.#insert(documents.map((document) => ({ ...document })))),
      readNewest: () =>
        answer(async () => {
          const newest = (await this.#read()).at(-1);
          return newest ? toHead(newest) : null;
        }),
      readHalts: (_id, { after, upTo }) =>
        answer(async () =>
          (await this.#read())
            .filter(({ kind, sequence: at }) => kind === 'halt' && at > after && at <= upTo)
            .map(toHaltEntry),
        ),
      readRegisters: (_id, wanted, head) =>
        answer(async () => readRegistersOf(await this.#read(), wanted, head)),
      findAtSequence: (_id, sequence) =>
        answer(
          async () => (await this.#read()).find((entry) => entry.sequence === sequence) ?? null,
        ),
      findByIdempotencyKey: (_id, keys) =>
        answer(async () =>
          (await this.#read()).filter((entry) => keys.includes(keyOf(entry) ?? '')),
        ),
      findByIds: (_id, ids) =>
        answer(async () => (await this.#read()).filter((entry) => has(ids, entry._id))),
      releaseIdempotencyKey: (entry, before) => answer(() => this.#release(entry, before)),
    };
  }

  async #insert(documents: Stored[]): Promise<InsertOutcome> {
    const { time, chance, trouble } = this.#deps;
    const fate = !this.isCalm && chance.happens(trouble) ? chance.pick(FATES) : 'well';
    await time.sleep(chance.integer(0, 3));
    const some = documents.slice(0, chance.integer(0, documents.length));
    if (fate === 'late') {
      const applied = chance.happens(0.5) ? some : documents;
      time.schedule(chance.integer(1, 200), () => this.#hasPrimary && this.#apply(applied));
    }
    if (fate === 'lost' || fate === 'late' || !this.#hasPrimary) return this.#unknown(documents);
    const sent = fate === 'cut' ? some : documents;
    const outcome = this.#apply(sent);
    if (fate === 'unanswered' || fate === 'cut') return this.#unknown(documents);
    if (fate === 'concern') return this.#concern(outcome);
    if (this.#deps.mutation === 'acknowledges-before-majority') return outcome;
    const isCommitted = await this.#majority();
    await time.sleep(chance.integer(0, 2));
    return isCommitted ? this.#acknowledge(outcome) : this.#unknown(documents);
  }

  #unknown(documents: readonly Stored[]): InsertOutcome {
    const isTrusted = this.#deps.mutation === 'trusts-the-inserted-count' && documents.length > 0;
    return isTrusted ? { kind: 'ok' } : { kind: 'unknown', cause: TROUBLE };
  }

  #concern(outcome: InsertOutcome): InsertOutcome {
    if (this.#deps.mutation !== 'overlooks-write-concern-errors')
      return { kind: 'unknown', cause: TROUBLE };
    return outcome;
  }

  #acknowledge(outcome: InsertOutcome): InsertOutcome {
    const isOwn = outcome.kind === 'conflict' && outcome.index === '_id';
    const isMistaken = this.#deps.mutation === 'takes-its-own-conflict-for-an-acknowledgement';
    return isOwn && isMistaken ? { kind: 'ok' } : outcome;
  }

  #apply(documents: readonly Stored[]): InsertOutcome {
    let outcome: InsertOutcome = { kind: 'ok' };
    for (const [at, document] of documents.entries()) {
      const conflicts = this.#conflicts(document);
      const index = this.#reported(conflicts);
      if (index) outcome = { kind: 'conflict', at, index };
      else if (document.poison)
        outcome = { kind: 'rejected', at, documentAtFault: true, cause: TROUBLE };
      else this.#write({ insert: document });
      if (outcome.kind !== 'ok') break;
    }
    this.#commitLater();
    return outcome;
  }

  #conflicts(document: Stored): ConflictIndex[] {
    const { mutation } = this.#deps;
    const conflicts = new Set<ConflictIndex>();
    for (const other of this.entries()) {
      if (other._id.equals(document._id)) return ['_id'];
      if (other.sequence === document.sequence) conflicts.add('chain');
      if (document.idempotencyKey && other.idempotencyKey === document.idempotencyKey)
        conflicts.add('idempotency');
      const isFollowing = document.after !== undefined && other.after === document.after;
      if (isFollowing && other.traceId === document.traceId) conflicts.add('following');
    }
    return [...conflicts].filter(
      (index) => mutation !== `has-no-${index as Exclude<ConflictIndex, '_id'>}-index`,
    );
  }

  /** The one conflict that the server names. */
  #reported(conflicts: readonly ConflictIndex[]): ConflictIndex | null {
    if (conflicts.length === 0) return null;
    return conflicts[0] === '_id' ? '_id' : this.#deps.chance.pick(conflicts);
  }

  async #release(entry: Stored, before: Date): Promise<void> {
    const { time, chance } = this.#deps;
    await time.sleep(chance.integer(0, 3));
    this.#mayFail();
    const local = this.entries().find(({ _id }) => _id.equals(entry._id));
    if (!local?.idempotencyKey || local.createdAt >= before) return;
    this.#write({ release: entry._id.toHexString() });
    this.#commitLater();
    if (!(await this.#majority())) throw TROUBLE;
  }

  async #read(): Promise<readonly Stored[]> {
    const { time, chance, mutation } = this.#deps;
    await time.sleep(chance.integer(0, 3));
    this.#mayFail();
    if (mutation === 'reads-without-majority') return this.entries();
    const lag = time.now < this.#lagsUntil ? chance.integer(0, 3) : 0;
    return visible(this.#log.slice(0, Math.max(0, this.#committed - lag)));
  }

  #mayFail(): void {
    const { chance, trouble } = this.#deps;
    if (!this.#hasPrimary || (!this.isCalm && chance.happens(trouble / 2))) throw TROUBLE;
  }

  /** Resolves when all current entries are on a majority; false when the primary steps down before. */
  #majority(): Promise<boolean> {
    const index = this.#log.length;
    if (index <= this.#committed) return Promise.resolve(true);
    return new Promise((settle) => this.#waiting.push({ index, term: this.#term, settle }));
  }

  #commitLater(): void {
    const { time, chance } = this.#deps;
    const term = this.#term;
    const index = this.#log.length;
    time.schedule(chance.integer(0, 12), () => {
      if (term !== this.#term) return;
      this.#committed = Math.max(this.#committed, index);
      const reached = this.#waiting.filter((wait) => wait.index <= this.#committed);
      this.#waiting = this.#waiting.filter((wait) => wait.index > this.#committed);
      for (const { settle } of reached) settle(true);
    });
  }
}

function has(ids: readonly Types.ObjectId[], id: Types.ObjectId): boolean {
  return ids.some((other) => other.equals(id));
}

/** The documents after these operations, by sequence. */
function visible(log: readonly Operation[]): Stored[] {
  const released = new Set(
    log.flatMap((operation) => ('release' in operation ? [operation.release] : [])),
  );
  const entries = log.flatMap((operation) => ('insert' in operation ? [operation.insert] : []));
  return entries
    .map((entry) => (released.has(entry._id.toHexString()) ? without(entry) : entry))
    .sort((a, b) => a.sequence - b.sequence);
}

function without({ idempotencyKey: _released, ...entry }: Stored): Stored {
  return entry as Stored;
}
