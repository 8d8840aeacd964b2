// Sums of decimal numbers as they are written: 0.1 + 0.2 + 0.3 is 0.6, in any order.

/** The nearest number to the exact sum. What is written with an exponent (from 1e21, below 1e-6) is added as the machine does. */
export function exactSum(values: readonly number[]): number {
  const written = values.map(String);
  const plain = written.filter((text) => !text.includes('e'));
  const places = plain.reduce((most, text) => Math.max(most, placesOf(text)), 0);
  const sum = plain.reduce((total, text) => total + scaled(text, places), 0n);
  const others = written.filter((text) => text.includes('e')).map(Number);
  return others
    .sort((one, other) => one - other)
    .reduce((total, value) => total + value, Number(`${sum}e-${places}`));
}

function placesOf(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

/** The decimal without its point, times ten to the power of the places it lacks. */
function scaled(text: string, places: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(places - placesOf(text)));
}
