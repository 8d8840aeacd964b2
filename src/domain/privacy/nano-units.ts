// Amounts of privacy budget as whole billionths, so that sums are exact and a cap can be reached but not passed.

const NANOS = 1e9;

/** Rounds to the nearest billionth; noise is made for the same amount that is charged. */
export function toNanos(amount: number): number {
  return Math.round(amount * NANOS);
}

export function fromNanos(nanos: number): number {
  return nanos / NANOS;
}
