// The address is the state: reads filters from it, and drops what cannot be meant.

type Reader<T> = (value: unknown) => T | undefined;

/** Any text up to 500 characters; digits in an address arrive as a number. */
export const readText: Reader<string> = (value) => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined;
};

/** A point in time, with its offset. */
export const readInstant: Reader<string> = (value) => {
  const isInstant =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value);
  const time = isInstant ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

export const readChoice =
  <const T extends string>(allowed: readonly T[]): Reader<T> =>
  (value) =>
    allowed.find((item) => item === value);

export const readInteger: Reader<number> = (value) => {
  const number = Number(value);
  return value !== '' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

type Search<R extends Record<string, Reader<unknown>>> = {
  [K in keyof R]?: R[K] extends Reader<infer T> ? T : never;
};

/** Makes `validateSearch` of a route from a reader for each parameter. */
export function createSearch<R extends Record<string, Reader<unknown>>>(
  readers: R,
): (given: Record<string, unknown>) => Search<R> {
  return (given) => {
    const found: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(readers)) {
      const value = read(given[name]);
      if (value !== undefined) found[name] = value;
    }
    return found as Search<R>;
  };
}
