// Indexes a chain in segments: one document for a run of entries costs a tenth of one for each (row ingest/R1).
import type { Model, mongo, QueryFilter } from 'mongoose';
import { createTooSlowError } from '../../errors.ts';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';
import { findRawDocuments, READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { readBatches, readDocument } from '../bson-reader.ts';

interface Tenant {
  organizationId: string;
  signal?: AbortSignal | undefined;
}

/** What an index keeps of an entry. */
interface Indexed {
  sequence: number;
}

/** A segment in memory, which is written if it has changed. */
export interface OpenSegment<Item extends Indexed> {
  /** Sequences of the first and the last item that it took. */
  from: number;
  to: number;
  /** Keyed by sequence. */
  items: Map<number, Item>;
  /** Sum of all items that it took. */
  weight: number;
  isChanged: boolean;
}

export interface SegmentBeginning {
  from: number;
}

/** How one index keeps its items. */
export interface SegmentFields<Stored, Item extends Indexed> {
  weigh(item: Item): number;
  /** Whether the next item, of this sequence, begins a new segment. */
  isFull(segment: OpenSegment<Item>, next: number): boolean;
  pack(segment: OpenSegment<Item>): Partial<Stored>;
  /** Yields the items in the order in which they were packed. */
  unpack(stored: Stored): Iterable<Item>;
}

/** Segments of one database batch. */
const BATCH = 64;
/** Beginnings of one database batch. */
const KEYS_BATCH = 256;
const NEWEST = { sort: { from: -1 }, maxTimeMS: READ_MAX_MS } as const;
/** Bytes of segments read before the event loop is yielded: a few milliseconds. */
const IN_TURN = 1_000_000;
/** Segments written with one command: a few milliseconds. */
const WRITTEN_MAX = 8;

/** The segments of one collection, which has a unique index by `organizationId` and `from`. */
export class SegmentIndex<Stored extends { from: number }, Item extends Indexed> {
  readonly #model: Model<Stored>;
  readonly #fields: SegmentFields<Stored, Item>;

  constructor(model: Model<Stored>, fields: SegmentFields<Stored, Item>) {
    this.#model = model;
    this.#fields = fields;
  }

  /** Finds the newest segment that begins at or before a sequence, in the transaction of the session if there is one. */
  find(
    organizationId: string,
    sequence = Number.MAX_SAFE_INTEGER,
    session: mongo.ClientSession | null = null,
  ): Promise<Stored | null> {
    return this.#model
      .findOne({ organizationId, from: { $lte: sequence } } as QueryFilter<Stored>)
      .sort({ from: -1 })
      .maxTimeMS(READ_MAX_MS)
      .session(session)
      .lean<Stored>();
  }

  /** Opens the segments that have these sequences or may take them, oldest first. */
  async open(
    organizationId: string,
    sequences: Iterable<number>,
    session: mongo.ClientSession,
  ): Promise<OpenSegment<Item>[]> {
    const segments: OpenSegment<Item>[] = [];
    for (const sequence of [...sequences].sort((a, b) => a - b)) {
      const last = segments.at(-1);
      if (last && sequence <= last.to) continue;
      const found = await this.find(organizationId, sequence, session);
      if (found && found.from !== last?.from) segments.push(this.#read(found));
    }
    return segments;
  }

  /** Adds an item to the last segment, or to a new one. Expects items in the order of their sequences. */
  add(item: Item, segments: OpenSegment<Item>[]): void {
    const last = segments.at(-1);
    const isNew = !last || this.#fields.isFull(last, item.sequence);
    const segment = isNew ? createSegment<Item>(item.sequence) : last;
    if (isNew) segments.push(segment);
    segment.isChanged = true;
    this.#take(item, segment);
  }

  /** Writes the changed segments, and deletes those that have become empty. */
  async write(
    organizationId: string,
    segments: readonly OpenSegment<Item>[],
    session: mongo.ClientSession,
  ): Promise<void> {
    const changed = segments.filter(({ isChanged }) => isChanged);
    for (let at = 0; at < changed.length; at += WRITTEN_MAX) {
      const operations = changed.slice(at, at + WRITTEN_MAX).map((segment) => {
        const filter = { organizationId, from: segment.from };
        if (segment.items.size === 0) return { deleteOne: { filter } };
        const update = { $set: this.#fields.pack(segment) };
        return { updateOne: { filter, update, upsert: true } };
      });
      await this.#model.bulkWrite(operations as never[], { session });
    }
  }

  /** Reads segments newest first, as raw BSON: Mongoose is ten times slower. @throws AppError `VALIDATION_ERROR` when too slow */
  async *readNewest({ organizationId, signal }: Tenant, from: object): AsyncGenerator<Stored> {
    const until = performance.now() + READ_MAX_MS;
    const yielding = new PeriodicYield(IN_TURN);
    const found = findRawDocuments(
      this.#model,
      { organizationId, from },
      { ...NEWEST, hint: 'run', batchSize: BATCH },
    );
    for await (const batch of readBatches(found, signal))
      for (const bytes of batch) {
        if (performance.now() > until) throw createTooSlowError();
        yield readDocument(bytes) as unknown as Stored;
        await yielding.addWork(bytes.length);
      }
  }

  /** Where the segments that fit begin, newest first: no segment is read, only the index of the hint. */
  async *readBeginnings(
    { organizationId, signal }: Tenant,
    where: object,
    hint: string,
  ): AsyncGenerator<SegmentBeginning, void> {
    const projection = { _id: 0, from: 1 };
    const options = { ...NEWEST, hint, projection, batchSize: KEYS_BATCH };
    const found = findRawDocuments(this.#model, { organizationId, ...where }, options);
    for await (const batch of readBatches(found, signal))
      for (const bytes of batch) yield readDocument(bytes) as unknown as SegmentBeginning;
  }

  #read(stored: Stored): OpenSegment<Item> {
    const segment = createSegment<Item>(stored.from);
    for (const item of this.#fields.unpack(stored)) this.#take(item, segment);
    return segment;
  }

  #take(item: Item, segment: OpenSegment<Item>): void {
    segment.items.set(item.sequence, item);
    segment.to = item.sequence;
    segment.weight += this.#fields.weigh(item);
  }
}

function createSegment<Item extends Indexed>(from: number): OpenSegment<Item> {
  return { from, to: from, items: new Map(), weight: 0, isChanged: false };
}
