// Queries that every resource uses: one page of a list, one new document, one document or 404.
import type { HydratedDocument, Model, mongo, QueryFilter, Types } from 'mongoose';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import { PeriodicYield } from '../concurrency/event-loop.ts';
import { requireTenant } from './tenancy.ts';

/** One page and the total: exact up to `COUNTED_MAX`; beyond it, at least larger than what the page shows. */
export interface Listed<D> {
  items: D[];
  total: number;
}

/** Upper bound on an exact total, since counting reads every document. */
const COUNTED_MAX = 10_000;

/** Makes `findOneAndUpdate` return the updated document. */
export const AFTER = { returnDocument: 'after' } as const;

/** Time limit of reads that a caller can make slow. */
export const READ_MAX_MS = 5000;

/** Upper bound of the count for a page, high enough to show whether there is another page. */
export function computeCountLimit({ skip, limit }: Page): number {
  return Math.max(COUNTED_MAX, skip + limit + 1);
}

/** A total order; otherwise pages would repeat or skip documents. */
const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** Reads one page of matching documents as plain objects, newest first unless `sort` says otherwise. */
export async function listPage<D>(
  model: Model<D>,
  where: QueryFilter<D>,
  page: Page & {
    sort?: Readonly<Record<string, 1 | -1>>;
    /** Members to read, such as `-traceIds`; default: all. */
    fields?: string;
    /** Counts exactly, for interfaces without another sign of further pages. */
    exact?: true;
  },
): Promise<Listed<D>> {
  const { skip, limit, sort = NEWEST_FIRST, fields = null } = page;
  const found = model.find(where, fields).sort(sort).skip(skip).limit(limit).maxTimeMS(READ_MAX_MS);
  const [items, total] = await Promise.all([
    found.lean<D[]>(),
    model
      .countDocuments(where, page.exact ? {} : { limit: computeCountLimit(page) })
      .maxTimeMS(READ_MAX_MS),
  ]);
  return { items, total };
}

/** Ids as text, also in lists and one level down. */
type AsText<T> = T extends Types.ObjectId ? T | string : T extends Types.ObjectId[] ? string[] : T;
type Castable<T> = T extends Types.ObjectId | Date | readonly unknown[]
  ? AsText<T>
  : T extends object
    ? { [K in keyof T]?: AsText<T[K]> }
    : T;
/** A document whose members with defaults may be absent, also one level down. */
type Row<D> = { [K in keyof D]?: Castable<D[K]> };

/** Writes one document, in the transaction of the request when there is one, and returns it as stored. */
export async function insertOne<D>(model: Model<D>, row: Row<D>): Promise<D> {
  // Mongoose's types of a generic document do not accept a row of it.
  const [made] = (await model.create([row] as never)) as unknown as HydratedDocument<D>[];
  if (!made) throw new AppError('INTERNAL_ERROR');
  return made.toObject();
}

/** Checks a limit; lock the organisation first, or all concurrent calls pass. @throws AppError `INVALID_OPERATION` */
export async function requireFewer(
  count: PromiseLike<number>,
  most: number,
  message: string,
): Promise<void> {
  if ((await count) >= most) throw new AppError('INVALID_OPERATION', message);
}

/** The defined members of a change; undefined ones stay unchanged. */
export function omitUndefined(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** Resolves with the only view of a list that was made from one document. */
export async function takeOnly<V>(views: PromiseLike<readonly V[]>): Promise<V> {
  const [view] = await views;
  if (view === undefined) throw new AppError('INTERNAL_ERROR');
  return view;
}

/** Resolves with the document of a query. @throws AppError `NOT_FOUND` */
export async function findOr404<D>(query: PromiseLike<D | null>, message?: string): Promise<D> {
  const found = await query;
  if (found === null) throw new AppError('NOT_FOUND', message);
  return found;
}

/** The member of a model that counting needs. */
interface Countable {
  countDocuments(where: object, options: object): PromiseLike<number>;
}

/** Counts matching documents; the count stops at `COUNTED_MAX`. */
export async function countAtMost(model: Countable, where: object): Promise<number> {
  return model.countDocuments(where, { limit: COUNTED_MAX, maxTimeMS: READ_MAX_MS });
}

/** The members of a model that a raw query needs. */
interface Filtered {
  collection: Pick<mongo.Collection, 'find'>;
  modelName: string;
  find(where: object): { cast(): unknown };
}

/** Documents that are converted before other requests are served; a batch has come as a whole. */
const DOCUMENTS_PER_TURN = 20;

/** Iterates a Mongoose cursor and closes it; Mongoose would leave it open when a loop ends early. */
export async function* readCursor<T>(
  cursor: AsyncIterable<T> & { close(): Promise<unknown> },
  signal?: AbortSignal,
): AsyncGenerator<T> {
  const turns = new PeriodicYield(DOCUMENTS_PER_TURN);
  try {
    for await (const document of cursor) {
      await turns.addWork(1);
      signal?.throwIfAborted();
      yield document;
    }
  } finally {
    await cursor.close();
  }
}

/** Reads documents as raw BSON, which is faster than Mongoose (row list). @throws TenancyError like any query */
export function findRawDocuments(
  model: Filtered,
  where: object,
  options: mongo.FindOptions,
): mongo.FindCursor<Buffer> {
  const filter = model.find(where).cast() as mongo.Filter<mongo.Document>;
  requireTenant(filter, 'find', model.modelName);
  return model.collection.find<Buffer>(filter, { ...options, raw: true });
}

/** What is shown of a deleted document. */
export interface DeletedView<I> {
  _id: I;
  id: I;
  deleted: true;
}

export function toDeletedView<I>({ _id }: { _id: I }): DeletedView<I> {
  return { _id, id: _id, deleted: true };
}

/** Accumulates how many documents of a group have this value at a path, such as `$status`. */
export const countWhere = (path: string, value: string) => ({
  $sum: { $cond: [{ $eq: [path, value] }, 1, 0] },
});
