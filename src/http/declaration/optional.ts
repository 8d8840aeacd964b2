// Defines optional members of inputs, and what null means there; no other file does.
import type { z } from 'zod';

/** A member that may be left out. Its input may be null; its output has a value, or the member is not there. */
export type Optional<T extends z.ZodType> = z.ZodExactOptional<
  z.ZodType<z.output<T>, z.input<T> | null>
>;
/** A member that has `fallback` when it is left out or null. */
export type WithDefault<T extends z.ZodType> = z.ZodDefault<
  z.ZodType<z.output<T>, z.input<T> | null>
>;

/** Whether null is a value of its own, such as "clear it". */
const hasNull = (schema: z.ZodType): boolean => schema.safeParse(null).success;

/** An optional member. Many serialisers write null for an absent one: null means that, unless `schema` takes null. */
export function optional<T extends z.ZodType>(schema: T): Optional<T> {
  const present = hasNull(schema)
    ? schema
    : schema.nullable().transform((value) => value ?? undefined);
  return present.optional() as unknown as Optional<T>;
}

/** An optional member with a default, which also replaces null, unless `schema` takes null. */
export function withDefault<T extends z.ZodType>(
  schema: T,
  fallback: z.util.NoUndefined<z.output<T>>,
): WithDefault<T> {
  const present = hasNull(schema)
    ? schema
    : schema.nullable().transform((value) => value ?? structuredClone(fallback));
  const member = (present as z.ZodType).default(fallback).meta({ default: fallback });
  return member as unknown as WithDefault<T>;
}

/** Makes every member of an object optional. */
export function makeOptional<S extends z.ZodRawShape>(members: S): AllOptional<S> {
  const entries = Object.entries(members).map(([name, schema]) => [
    name,
    optional(schema as unknown as z.ZodType),
  ]);
  return Object.fromEntries(entries) as AllOptional<S>;
}
type AllOptional<S extends z.ZodRawShape> = {
  [K in keyof S]: S[K] extends z.ZodType ? Optional<S[K]> : never;
};

/** Whether a change names anything to change. */
export const hasChanges = (change: object): boolean =>
  Object.values(change).some((value) => value !== undefined);
