// Whether two plain values are the same in depth, as `isDeepStrictEqual` finds, without its price.

/** Of JSON values and dates; an object of any other class equals nothing but itself. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isEqualList(a, b);
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  return isPlain(a) && isPlain(b) && hasEqualMembers(a, b);
}

function isEqualList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
}

function hasEqualMembers(a: Members, b: Members): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}

type Members = Readonly<Record<string, unknown>>;

function isPlain(value: object): value is Members {
  return Object.getPrototypeOf(value) === Object.prototype;
}
