// The queries that every resource makes: one page of a list, one new document, one document or 404.
import type { HydratedDocument, Model, mongo, QueryFilter, Types } from 'mongoose';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import { requireTenant } from './tenancy.ts';

/** One page, and how many documents there are in all: exactly up to `COUNTED_MAX`, beyond it only that there are more than the page shows. */
export interface Listed<D> {
  items: D[];
  total: number;
}

/** Documents that a total counts: to count is to read. */
const COUNTED_MAX = 10_000;

/** `findOneAndUpdate` answers the document as it is afterwards. */
export const AFTER = { returnDocument: 'after' } as const;

/** For reads that a caller can make slow; what takes longer is refused. */
export const READ_MAX_MS = 5000;

/** How far to count for a page: so far that it shows whether there is another one. */
export function countedTo({ skip, limit }: Page): number {
  return Math.max(COUNTED_MAX, skip + limit + 1);
}

/** A total order, or pages would repeat and skip. */
const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** The documents that the filter finds, newest first unless `sort` says otherwise, as plain objects. */
export async function listPage<D>(
  model: Model<D>,
  where: QueryFilter<D>,
  page: Page & {
    sort?: Readonly<Record<string, 1 | -1>>;
    /** The total as it is, where the interface has no other sign that there are more. */
    exact?: true;
  },
): Promise<Listed<D>> {
  const { skip, limit, sort = NEWEST_FIRST } = page;
  const found = model.find(where).sort(sort).skip(skip).limit(limit).maxTimeMS(READ_MAX_MS);
  const [items, total] = await Promise.all([
    found.lean<D[]>(),
    model
      .countDocuments(where, page.exact ? {} : { limit: countedTo(page) })
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
/** What may be left to the schema's defaults, also one level down. */
type Row<D> = { [K in keyof D]?: Castable<D[K]> };

/** Writes one document, in the transaction of the request when there is one, and returns it as stored. */
export async function insertOne<D>(model: Model<D>, row: Row<D>): Promise<D> {
  // Mongoose's types of a generic document cannot say that a row of it is one.
  const [made] = (await model.create([row] as never)) as unknown as HydratedDocument<D>[];
  if (!made) throw new AppError('INTERNAL_ERROR');
  return made.toObject();
}

/** Comes after a lock of the organisation: requests at once would all find room. @throws AppError `INVALID_OPERATION` */
export async function requireFewer(
  count: PromiseLike<number>,
  most: number,
  message: string,
): Promise<void> {
  if ((await count) >= most) throw new AppError('INVALID_OPERATION', message);
}

/** The members of a change that are given: what is left out stays as it is. */
export function givenMembers(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** What a query for one document finds. @throws AppError `NOT_FOUND` */
export async function findOr404<D>(query: PromiseLike<D | null>, message?: string): Promise<D> {
  const found = await query;
  if (found === null) throw new AppError('NOT_FOUND', message);
  return found;
}

/** The collection of a model, and how it reads a filter. */
interface Filtered {
  collection: Pick<mongo.Collection, 'find'>;
  modelName: string;
  find(where: object): { cast(): unknown };
}

/** The documents of a Mongoose cursor, which Mongoose leaves open in the database where a loop over it ends early. */
export async function* readCursor<T>(
  cursor: AsyncIterable<T> & { close(): Promise<unknown> },
  signal?: AbortSignal,
): AsyncGenerator<T> {
  try {
    for await (const document of cursor) {
      signal?.throwIfAborted();
      yield document;
    }
  } finally {
    await cursor.close();
  }
}

/** What a query finds as the database sends it, for who reads that faster than Mongoose (row list). @throws TenancyError as any query */
export function rawDocuments(
  model: Filtered,
  where: object,
  options: mongo.FindOptions,
): mongo.FindCursor<Buffer> {
  const filter = model.find(where).cast() as mongo.Filter<mongo.Document>;
  requireTenant(filter, 'find', model.modelName);
  return model.collection.find<Buffer>(filter, { ...options, raw: true });
}
