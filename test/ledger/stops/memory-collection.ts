// A collection in memory, as the driver and Mongoose show it to the code under simulation; each command may be paused.

import { toObjectId } from '../../../src/ledger/ledger.model.ts';

const OBJECT_ID = /^[0-9a-f]{24}$/;

export type Row = Record<string, unknown>;
type Filter = Readonly<Record<string, unknown>>;
interface FindOptions {
  sort?: Readonly<Record<string, 1 | -1>> | undefined;
  limit?: number | undefined;
}
interface Change {
  $set?: Row;
  $unset?: Row;
}

/** A conflict on a unique index, as the server reports it. */
export class Duplicate extends Error {
  readonly code = 11_000;
  readonly index: string;
  constructor(index: string) {
    super(`duplicate key of ${index}`);
    this.index = index;
  }
}

/** Unique indexes by name: the members of each; rows that lack one of them are in no index. */
type Indexes = Readonly<Record<string, readonly string[]>>;

export class MemoryCollection {
  readonly rows: Row[] = [];
  readonly #indexes: Indexes;

  constructor(indexes: Indexes) {
    this.#indexes = indexes;
  }

  /** @throws Duplicate */
  insert(row: Row): void {
    for (const [index, members] of Object.entries(this.#indexes)) {
      if (members.some((member) => row[member] === undefined)) continue;
      const isSame = (other: Row): boolean =>
        members.every((member) => isEqual(other[member], row[member]));
      if (this.rows.some(isSame)) throw new Duplicate(index);
    }
    this.rows.push(clone(row));
  }

  find(filter: Filter, { sort = {}, limit = Infinity }: FindOptions = {}): Row[] {
    const found = this.rows.filter((row) => isMatch(row, filter));
    for (const [member, direction] of Object.entries(sort))
      found.sort((a, b) => direction * compare(read(a, member), read(b, member)));
    return found.slice(0, limit).map(clone);
  }

  update(filter: Filter, { $set = {}, $unset = {} }: Change, limit = Infinity): number {
    const found = this.rows.filter((row) => isMatch(row, filter)).slice(0, limit);
    for (const row of found) {
      for (const [path, value] of Object.entries($set)) write(row, path, value);
      for (const path of Object.keys($unset)) delete row[path];
    }
    return found.length;
  }

  remove(filter: Filter): void {
    const kept = this.rows.filter((row) => !isMatch(row, filter));
    this.rows.splice(0, this.rows.length, ...kept);
  }
}

/** Runs a command when its process is not stopped, and answers when it is not. */
export type RunCommand = <T>(command: () => T) => Promise<T>;

/** A query that runs once it is awaited. */
class Query implements PromiseLike<Row[]> {
  readonly #run: (options: FindOptions) => Promise<Row[]>;
  readonly #options: FindOptions;

  constructor(run: (options: FindOptions) => Promise<Row[]>, options: FindOptions = {}) {
    this.#run = run;
    this.#options = options;
  }

  sort(sort: FindOptions['sort']): Query {
    return new Query(this.#run, { ...this.#options, sort });
  }

  lean(): this {
    return this;
  }

  toArray(): Promise<Row[]> {
    return this.#run(this.#options);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- as a query of Mongoose is one
  then<A, B>(
    resolve?: ((rows: Row[]) => A | PromiseLike<A>) | null,
    reject?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run(this.#options).then(resolve, reject);
  }
}

/** The collection as one process sees it. `always`: a filter that the model adds. */
export function createView(collection: MemoryCollection, run: RunCommand, always: Filter = {}) {
  const find = (filter: Filter, options: FindOptions = {}): Query =>
    new Query(
      (more) => run(() => collection.find({ ...filter, ...always }, { ...options, ...more })),
      {},
    );
  const findFirst = (filter: Filter, options: FindOptions = {}) => {
    const first = async (more: FindOptions): Promise<Row | null> =>
      (await find(filter, { ...options, ...more, limit: 1 }))[0] ?? null;
    const query = {
      sort: (sort: FindOptions['sort']) => findFirst(filter, { ...options, sort }),
      lean: () => query,
      // oxlint-disable-next-line unicorn/no-thenable -- as a query of Mongoose is one
      then: <A>(resolve: (row: Row | null) => A, reject: (error: unknown) => never) =>
        first({}).then(resolve, reject),
    };
    return query;
  };
  return {
    driver: {
      find,
      findOne: findFirst,
      async updateOne(filter: Filter, change: Change) {
        return { matchedCount: await run(() => collection.update(filter, change, 1)) };
      },
      updateMany: (filter: Filter, change: Change) => run(() => collection.update(filter, change)),
    },
    model: {
      find: (filter: Filter, _members?: unknown, options: FindOptions = {}) =>
        find(omitOperators(filter), options),
      findOne: (filter: Filter) => findFirst(omitOperators(filter)),
      countDocuments: (filter: Filter) => run(() => collection.find(filter).length),
      updateMany: (filter: Filter, change: Change) => run(() => collection.update(filter, change)),
      deleteMany: (filter: Filter) => run(() => collection.remove(filter)),
      async create([row]: [Row]) {
        const stored = castIds(row);
        await run(() => collection.insert(stored));
        return [{ toObject: () => stored }];
      },
    },
  };
}

/** Ids are stored as such. */
function castIds(row: Row): Row {
  const cast = ([name, value]: [string, unknown]) => [
    name,
    name.endsWith('Id') && OBJECT_ID.test(String(value)) ? toObjectId(String(value)) : value,
  ];
  return Object.fromEntries(Object.entries(row).map(cast)) as Row;
}

/** Members of a filter that the simulation has no use for. */
function omitOperators({ $and: _, ...filter }: Filter): Filter {
  return filter;
}

const isPlain = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clone(one)])) as T;
}

function read(row: Row, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isPlain(value) ? value[name] : undefined), row);
}

function write(row: Row, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() as string;
  let place = row;
  for (const name of names) place = (place[name] ??= {}) as Row;
  place[last] = value;
}

/** Ids are compared as texts, as Mongoose casts them. */
const toComparable = (value: unknown): unknown => {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'object' && value !== null ? String(value) : (value ?? null);
};
const isEqual = (a: unknown, b: unknown): boolean => toComparable(a) === toComparable(b);
const compare = (a: unknown, b: unknown): number =>
  Number(toComparable(a)) - Number(toComparable(b));

const OPERATORS: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $in: (value, operand) => (operand as unknown[]).some((one) => isEqual(value, one)),
  $ne: (value, operand) => !isEqual(value, operand),
  $gt: (value, operand) => value != null && compare(value, operand) > 0,
  $lt: (value, operand) => value != null && compare(value, operand) < 0,
  $lte: (value, operand) => value != null && compare(value, operand) <= 0,
};

function isMatch(row: Row, filter: Filter): boolean {
  return Object.entries(filter).every(([path, expected]) => {
    const value = read(row, path);
    if (!isPlain(expected)) return isEqual(value, expected);
    return Object.entries(expected).every(([operator, operand]) => {
      const holds = OPERATORS[operator];
      if (!holds) throw new TypeError(`no operator ${operator} in this simulation`);
      return holds(value, operand);
    });
  });
}
