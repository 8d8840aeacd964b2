// Sums decimal numbers exactly as written: 0.1 + 0.2 + 0.3 is 0.6, in any order.

/** Values of at most two decimals and fewer than 16 digits are summed as hundredths: a third of the time of text. */
const HUNDREDTHS_MAX = 1e15;
/** A sum of hundredths beyond this is moved into a big integer. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER - HUNDREDTHS_MAX;

/** The nearest number to the exact sum. Values printed with an exponent (from 1e21, below 1e-6) are added as floats. */
export function sumExactly(values: readonly number[]): number {
  const written: string[] = [];
  let small = 0;
  let large = 0n;
  for (const value of values) {
    const hundredths = Math.round(value * 100);
    if (Math.abs(hundredths) >= HUNDREDTHS_MAX || hundredths / 100 !== value)
      written.push(String(value));
    else if (Math.abs((small += hundredths)) > EXACT_MAX)
      [large, small] = [large + BigInt(small), 0];
  }
  return sumWritten(written, large + BigInt(small));
}

function sumWritten(written: readonly string[], hundredths: bigint): number {
  const plain = written.filter((text) => !text.includes('e'));
  const places = plain.reduce((most, text) => Math.max(most, countDecimals(text)), 2);
  const start = hundredths * 10n ** BigInt(places - 2);
  const sum = plain.reduce((total, text) => total + toScaledInteger(text, places), start);
  const others = written.filter((text) => text.includes('e')).map(Number);
  return others
    .sort((one, other) => one - other)
    .reduce((total, value) => total + value, Number(`${sum}e-${places}`));
}

function countDecimals(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

/** The decimal without its point, times ten to the power of the places it lacks. */
function toScaledInteger(text: string, places: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(places - countDecimals(text)));
}
