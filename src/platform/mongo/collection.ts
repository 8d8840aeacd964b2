// Defines a collection: its members are said once, in the notation of Mongoose, and the type of its documents follows.
import { Schema, type SchemaDefinition, type SchemaOptions, type Types } from 'mongoose';
import { guardTenancy } from './tenancy.ts';

declare const shape: unique symbol;

/** A member whose type its definition does not say. */
export interface Typed<T> {
  readonly [shape]: T;
}

/** Gives a member a type that Mongoose cannot know. With `undefined` in the type, the member may be absent. */
export const typeAs = <T>(definition: object): Typed<T> => definition as Typed<T>;

/** For a member that documents of earlier versions lack, although new ones have its default. */
export const allowAbsent = <const D extends object>(definition: D): Typed<Value<D> | undefined> =>
  definition as never;

type Members = Readonly<Record<string, unknown>>;

/** The type of a value that is there. */
type Value<D> =
  D extends Typed<infer T>
    ? Exclude<T, undefined>
    : D extends StringConstructor
      ? string
      : D extends NumberConstructor
        ? number
        : D extends BooleanConstructor
          ? boolean
          : D extends DateConstructor
            ? Date
            : D extends BufferConstructor
              ? Buffer
              : D extends typeof Schema.Types.ObjectId
                ? Types.ObjectId
                : D extends typeof Schema.Types.Mixed
                  ? unknown
                  : D extends readonly [infer Item]
                    ? Value<Item>[]
                    : D extends { type: infer T }
                      ? One<T, D> | (D extends { default: null } ? null : never)
                      : D extends Members
                        ? Shape<D>
                        : never;

/** A text with an `enum` is one of its values; another member is of its type. */
type One<T, D> = D extends { enum: readonly (infer V)[] } ? Exclude<V, null> : Value<T>;

type List = readonly unknown[];
type Constructor = abstract new (...args: never) => unknown;

/** Members without default that are not required, except lists, which begin empty; of a typed one its type says so. */
type IsOptional<D> =
  D extends Typed<infer T>
    ? undefined extends T
      ? true
      : false
    : D extends { required: true } | List
      ? false
      : D extends { default: infer V }
        ? undefined extends V
          ? true
          : false
        : D extends { type: List }
          ? false
          : D extends { type: unknown } | Constructor
            ? true
            : false;

type Flat<T> = { [K in keyof T]: T[K] };

/** What documents with these members look like. */
export type Shape<M> = Flat<
  { -readonly [K in keyof M as IsOptional<M[K]> extends true ? never : K]: Value<M[K]> } & {
    -readonly [K in keyof M as IsOptional<M[K]> extends true ? K : never]?: Value<M[K]>;
  }
>;

/** A part is written as a whole: a member that is named by its type alone is there. */
type Part<M> = Shape<{ [K in keyof M]: M[K] extends Constructor ? Typed<Value<M[K]>> : M[K] }>;

/** `timestamps` of documents that are not updated, or whose updates do not matter. */
export const CREATED = { createdAt: true, updatedAt: false } as const;

interface Options extends Omit<SchemaOptions, 'collection' | 'autoIndex' | 'timestamps'> {
  timestamps?: true | typeof CREATED;
  /** The documents belong to no organisation, or are found by other means first. */
  ofNoTenant?: true;
}

type Stored<M, O> = Flat<
  Shape<M> &
    (M extends { _id: unknown } ? unknown : { _id: Types.ObjectId }) &
    (O extends { ofNoTenant: true } ? unknown : { organizationId: Types.ObjectId }) &
    (O extends { timestamps: unknown } ? { createdAt: Date } : unknown) &
    (O extends { timestamps: true } ? { updatedAt: Date } : unknown)
>;

/** The documents of a collection, or a part of them. */
export type DocumentOf<S> = S extends Typed<infer D> ? D : never;

/** Defines a collection; unless it says otherwise, its documents belong to organisations. */
export function defineCollection<const M extends Members, const O extends Options>(
  collection: string,
  members: M,
  { ofNoTenant, ...options }: O = {} as O,
): Schema<Stored<M, O>> & Typed<Stored<M, O>> {
  const schema: Schema = new Schema(members as SchemaDefinition, {
    ...(options as SchemaOptions),
    collection,
    autoIndex: false,
  });
  if (!ofNoTenant) schema.plugin(guardTenancy);
  return schema as never;
}

/** Defines a part of documents, which has no id of its own. */
export const definePart = <const M extends Members>(
  members: M,
  options: SchemaOptions = {},
): Schema<Part<M>> & Typed<Part<M>> =>
  new Schema(members as SchemaDefinition, { _id: false, ...options }) as never;
