// Compares cursors with their chains: finds lagging consumers, missing cursors and cursors beyond the end of the chain.
import type { Connection, Model } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { CONFIRM_PAUSE_MS, CONFIRM_READS } from '../reads.ts';
import { sleep, type Timer } from '../../platform/concurrency/timer.ts';
import { type Consumer, toPlaceKey } from './consumer.ts';
import type { CursorDocument } from './cursors.model.ts';
import { readHeadSequences } from './head-sequences.ts';

/** A cursor at an impossible place, and where the consumer continues. */
export interface CursorFault {
  consumer: string;
  organizationId: string;
  kind: 'missing' | 'ahead';
  /** Null: the cursor is missing. */
  sequence: number | null;
  goesOnAfter: number;
}

export interface CursorCheckDeps {
  connection: Connection;
  chain: Chain;
  consumers: readonly Consumer[];
  cursors: Model<CursorDocument>;
  clock: Clock;
  timer: Timer;
  /** Called when effects were skipped or would have been repeated: an operator has to look at it. */
  onCursorFault: (fault: CursorFault) => void;
}

/** Organisations to compare at once. */
const SLICE = 500;

/** Checks cursors against their chains, and repairs missing and impossible ones. */
export class CursorCheck {
  readonly #deps: CursorCheckDeps;
  /** Lag of each consumer, by organisation that is behind. */
  readonly #lags = new Map<string, ReadonlyMap<string, number>>();

  constructor(deps: CursorCheckDeps) {
    this.#deps = deps;
  }

  listBehind(): string[] {
    return [...this.#lags.keys()];
  }

  /** Returns, by consumer, how many entries the slowest organisation was behind when it was compared. */
  computeLags(): Readonly<Record<string, number>> {
    const worst = Object.fromEntries(this.#deps.consumers.map(({ name }) => [name, 0]));
    for (const lags of this.#lags.values())
      for (const [name, lag] of lags) worst[name] = Math.max(worst[name] ?? 0, lag);
    return worst;
  }

  async compare(organizationIds: readonly string[]): Promise<void> {
    const begun = await this.#begun();
    for (let from = 0; from < organizationIds.length; from += SLICE)
      await this.#compareSlice(organizationIds.slice(from, from + SLICE), begun);
  }

  /** Notes that every organisation has been compared: from now on a missing cursor is a lost one. */
  async noteBegun(): Promise<void> {
    const begun = await this.#begun();
    for (const { name } of this.#deps.consumers.filter((consumer) => !begun.has(consumer.name)))
      await this.#starts().updateOne(
        { _id: name },
        { $setOnInsert: { begunAt: this.#deps.clock.now() } },
        { upsert: true },
      );
  }

  #starts() {
    return this.#deps.connection.collection<{ _id: string; begunAt: Date }>('consumers');
  }

  async #begun(): Promise<ReadonlySet<string>> {
    return new Set((await this.#starts().find({}).toArray()).map(({ _id }) => _id));
  }

  /** Compares organisations. Cursors are read before heads: appends in the meantime only move the heads away. */
  async #compareSlice(ids: readonly string[], begun: ReadonlySet<string>): Promise<void> {
    const { connection, chain, consumers } = this.#deps;
    const reached = await this.#cursorsOf(ids);
    const heads = await readHeadSequences(connection.collection(chain.collection), ids);
    const isResting = await this.#resting(ids, reached);
    for (const organizationId of ids) {
      const head = heads.get(organizationId) ?? 0;
      const lags = new Map<string, number>();
      for (const consumer of consumers) {
        const at = reached.get(toPlaceKey(consumer.name, organizationId));
        const place = { consumer, organizationId, head };
        const sequence =
          at === undefined ? await this.#create(place, begun) : await this.#notAhead(place, at);
        const isBehind =
          sequence < head && !(sequence === 0 && isResting(consumer, organizationId));
        if (isBehind) lags.set(consumer.name, head - sequence);
      }
      if (lags.size > 0) this.#lags.set(organizationId, lags);
      else this.#lags.delete(organizationId);
    }
  }

  /** Returns a predicate: whether a consumer that has not begun does not begin in an organisation now. */
  async #resting(
    ids: readonly string[],
    reached: ReadonlyMap<string, number>,
  ): Promise<(consumer: Consumer, organizationId: string) => boolean> {
    const resting = new Set<string>();
    for (const { name, beginsIn } of this.#deps.consumers) {
      if (!beginsIn) continue;
      const waiting = ids.filter((id) => !reached.get(toPlaceKey(name, id)));
      const begins = await beginsIn(waiting);
      for (const id of waiting) if (!begins.has(id)) resting.add(toPlaceKey(name, id));
    }
    return ({ name }, organizationId) => resting.has(toPlaceKey(name, organizationId));
  }

  async #cursorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const filter = { organizationId: { $in: ids.map(toObjectId) } };
    const found = await this.#deps.cursors.collection.find(filter, MAJORITY).toArray();
    return new Map(
      found.map(({ organizationId, consumer, sequence }) => [
        toPlaceKey(consumer, organizationId.toHexString()),
        sequence,
      ]),
    );
  }

  /** Creates a missing cursor: an idempotent consumer starts over, any other continues at the head. */
  async #create(place: Place, begun: ReadonlySet<string>): Promise<number> {
    const { consumer, organizationId, head } = place;
    if (head === 0) return 0;
    const isLost = begun.has(consumer.name);
    const startsOver = isLost ? consumer.transactional === false : consumer.from === 'start';
    const sequence = startsOver ? 0 : head;
    const filter = { organizationId: toObjectId(organizationId), consumer: consumer.name };
    const { upsertedCount } = await this.#deps.cursors.updateOne(
      filter,
      { $setOnInsert: { sequence } },
      { upsert: true },
    );
    if (isLost && upsertedCount > 0)
      this.#report(place, { kind: 'missing', sequence: null, goesOnAfter: sequence });
    return sequence;
  }

  /** Moves a cursor back that is beyond the newest entry: it would skip the next appends. */
  async #notAhead(place: Place, at: number): Promise<number> {
    const { consumer, organizationId } = place;
    if (at <= place.head || (await this.#reaches(organizationId, at))) return at;
    const filter = { organizationId: toObjectId(organizationId), consumer: consumer.name };
    const { modifiedCount } = await this.#deps.cursors.updateOne(
      { ...filter, sequence: at },
      { $set: { sequence: place.head } },
    );
    if (modifiedCount > 0)
      this.#report(place, { kind: 'ahead', sequence: at, goesOnAfter: place.head });
    return place.head;
  }

  async #reaches(organizationId: string, sequence: number): Promise<boolean> {
    const { connection, chain, timer } = this.#deps;
    const collection = connection.collection(chain.collection);
    for (let read = 0; read < CONFIRM_READS; read++) {
      const head = (await readHeadSequences(collection, [organizationId])).get(organizationId) ?? 0;
      if (head >= sequence) return true;
      await sleep(timer, CONFIRM_PAUSE_MS);
    }
    return false;
  }

  #report(
    { consumer, organizationId }: Place,
    fault: Pick<CursorFault, 'kind' | 'sequence' | 'goesOnAfter'>,
  ): void {
    this.#deps.onCursorFault({ consumer: consumer.name, organizationId, ...fault });
  }
}

/** One consumer of one organisation, with the head of the chain. */
interface Place {
  consumer: Consumer;
  organizationId: string;
  head: number;
}
