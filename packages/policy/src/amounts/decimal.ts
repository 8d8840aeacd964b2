// Exact decimals of nine places as text: what limits count, and what the chain commits to.

const PLACES = 9;
const UNIT = 10n ** BigInt(PLACES);
/** Larger amounts are refused. */
export const DECIMAL_MAX = 1e15;
const DECIMAL = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{0,8}[1-9])?$/;

/** Whether a text is a decimal as `formatDecimal` writes it. */
export const isDecimal = (text: unknown): text is string =>
  typeof text === 'string' && text !== '-0' && DECIMAL.test(text);

/** Counts a decimal in units of its last place. The text MUST be one. */
export function parseDecimal(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole) * UNIT + BigInt(fraction.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -units : units;
}

/** Writes units as a decimal, without zeros at its end. */
export function formatDecimal(units: bigint): string {
  const size = units < 0n ? -units : units;
  const fraction = String(size % UNIT)
    .padStart(PLACES, '0')
    .replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${size / UNIT}${fraction && `.${fraction}`}`;
}

/** Rounds a number up to a decimal; null: it is negative, too large or none. */
export function toUpperDecimal(value: number): string | null {
  if (!(value >= 0 && value <= DECIMAL_MAX)) return null;
  const text = String(value);
  // Numbers below 1e-6, of which the ninth place is all that is left.
  if (text.includes('e')) return formatDecimal(BigInt(Math.ceil(value * 10 ** PLACES)));
  const [whole = '0', fraction = ''] = text.split('.');
  const cut = BigInt(whole) * UNIT + BigInt(fraction.slice(0, PLACES).padEnd(PLACES, '0'));
  return formatDecimal(/[1-9]/.test(fraction.slice(PLACES)) ? cut + 1n : cut);
}
