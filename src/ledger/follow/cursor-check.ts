// Compares cursors with their chains: who is behind, and what must not be: cursors that are gone, or beyond the end of the chain.
import type { Connection, Model } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import { objectId } from '../ledger.model.ts';
import { CONFIRM_PAUSE_MS, CONFIRM_READS, MAJORITY } from '../read-write-concerns.ts';
import { sleep, type Timer } from '../timer.ts';
import { type Consumer, placeKey } from './consumer.ts';
import type { CursorDocument } from './cursors.model.ts';
import { headSequences } from './head-sequences.ts';

/** A cursor that is not where it can only be, and where it goes on. */
export interface CursorFault {
  consumer: string;
  organizationId: string;
  kind: 'missing' | 'ahead';
  /** Null: missing. */
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
  /** Effects were left out or would have been repeated: somebody has to look. */
  onCursorFault: (fault: CursorFault) => void;
}

/** Organisations that are compared at once. */
const SLICE = 500;

export class CursorCheck {
  readonly #deps: CursorCheckDeps;
  /** By organisation that is behind: by how much, for each consumer. */
  readonly #lags = new Map<string, ReadonlyMap<string, number>>();

  constructor(deps: CursorCheckDeps) {
    this.#deps = deps;
  }

  behind(): string[] {
    return [...this.#lags.keys()];
  }

  /** By consumer: how many entries the slowest organisation was behind when it was compared. */
  lags(): Readonly<Record<string, number>> {
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

  /** Every organisation has been compared: from now on a missing cursor is no new one. */
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

  /** The cursors first: what is appended meanwhile only moves the head away from them. */
  async #compareSlice(ids: readonly string[], begun: ReadonlySet<string>): Promise<void> {
    const { connection, chain, consumers } = this.#deps;
    const reached = await this.#cursorsOf(ids);
    const heads = await headSequences(connection.collection(chain.collection), ids);
    const rests = await this.#resting(ids, reached);
    for (const organizationId of ids) {
      const head = heads.get(organizationId) ?? 0;
      const lags = new Map<string, number>();
      for (const consumer of consumers) {
        const at = reached.get(placeKey(consumer.name, organizationId));
        const place = { consumer, organizationId, head };
        const sequence =
          at === undefined ? await this.#create(place, begun) : await this.#notAhead(place, at);
        const isBehind = sequence < head && !(sequence === 0 && rests(consumer, organizationId));
        if (isBehind) lags.set(consumer.name, head - sequence);
      }
      if (lags.size > 0) this.#lags.set(organizationId, lags);
      else this.#lags.delete(organizationId);
    }
  }

  /** Tells in which organisations a consumer that has not begun does not begin now. */
  async #resting(
    ids: readonly string[],
    reached: ReadonlyMap<string, number>,
  ): Promise<(consumer: Consumer, organizationId: string) => boolean> {
    const resting = new Set<string>();
    for (const { name, beginsIn } of this.#deps.consumers) {
      if (!beginsIn) continue;
      const waiting = ids.filter((id) => !reached.get(placeKey(name, id)));
      const begins = await beginsIn(waiting);
      for (const id of waiting) if (!begins.has(id)) resting.add(placeKey(name, id));
    }
    return ({ name }, organizationId) => resting.has(placeKey(name, organizationId));
  }

  async #cursorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const filter = { organizationId: { $in: ids.map(objectId) } };
    const found = await this.#deps.cursors.collection.find(filter, MAJORITY).toArray();
    return new Map(
      found.map(({ organizationId, consumer, sequence }) => [
        placeKey(consumer, organizationId.toHexString()),
        sequence,
      ]),
    );
  }

  /** Repeating an idempotent effect is harmless; every other consumer goes on at the end rather than repeat all history. */
  async #create(place: Place, begun: ReadonlySet<string>): Promise<number> {
    const { consumer, organizationId, head } = place;
    if (head === 0) return 0;
    const isLost = begun.has(consumer.name);
    const startsOver = isLost ? consumer.transactional === false : consumer.from === 'start';
    const sequence = startsOver ? 0 : head;
    const filter = { organizationId: objectId(organizationId), consumer: consumer.name };
    const { upsertedCount } = await this.#deps.cursors.updateOne(
      filter,
      { $setOnInsert: { sequence } },
      { upsert: true },
    );
    if (isLost && upsertedCount > 0)
      this.#report(place, { kind: 'missing', sequence: null, goesOnAfter: sequence });
    return sequence;
  }

  /** A cursor beyond the newest entry would skip what is appended next. */
  async #notAhead(place: Place, at: number): Promise<number> {
    const { consumer, organizationId } = place;
    if (at <= place.head || (await this.#reaches(organizationId, at))) return at;
    const filter = { organizationId: objectId(organizationId), consumer: consumer.name };
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
      const head = (await headSequences(collection, [organizationId])).get(organizationId) ?? 0;
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

/** Where one consumer of one organisation is compared. */
interface Place {
  consumer: Consumer;
  organizationId: string;
  head: number;
}
