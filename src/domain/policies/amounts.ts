// Amounts of money in the arguments of an action, recognised by the names of the members that hold them.
import type { Json } from '../record/json.ts';

const moneyWords = new Set([
  'amount',
  'price',
  'cost',
  'fee',
  'fees',
  'refund',
  'charge',
  'payout',
  'payment',
  'salary',
  'budget',
]);
const moneyNames = new Set(['total', 'subtotal', 'sum', 'usd', 'eur', 'gbp']);
const noAmountWords = new Set(['id', 'ids', 'count', 'method', 'methods', 'type', 'status']);
const amountText = /^[-+]?\s?[$€£]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/;

/**
 * The absolute amounts in a value, as written (no currency is converted): numbers, and strings such as `"$1,200.50"`, whose member name
 * has a word like amount, price or refund (`refundAmount`, `unit_price`) or is `total`, `subtotal` or `sum`.
 */
export function amountsIn(value: Json, name = ''): number[] {
  if (value !== null && typeof value === 'object') {
    const members = Array.isArray(value)
      ? value.map((item): [string, Json] => [name, item])
      : Object.entries(value);
    return members.flatMap(([key, item]) => amountsIn(item, key));
  }
  const amount = namesMoney(name) ? numberOf(value) : null;
  return amount === null ? [] : [Math.abs(amount)];
}

function namesMoney(name: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return (
    moneyNames.has(words.join('_')) ||
    words.some((word, i) => moneyWords.has(word) && !isNoAmount(words, i))
  );
}

/** `payment_id` and `refund_count` are not amounts. */
function isNoAmount(words: readonly string[], i: number): boolean {
  return noAmountWords.has(words[i + 1] ?? '');
}

function numberOf(value: Json): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !amountText.test(value.trim())) return null;
  return Number(value.replace(/[^\d.]/g, ''));
}
