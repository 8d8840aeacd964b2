// The number beside a number: nothing that a computer stores lies between them.

/** The next larger number, or the next smaller one. */
export function findNextNumber(number: number, direction: 1 | -1): number {
  if (number === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  // Numbers of a sign are in the order of their bits.
  const step = number > 0 === direction > 0 ? 1n : -1n;
  view.setBigInt64(0, view.getBigInt64(0) + step);
  return view.getFloat64(0);
}
