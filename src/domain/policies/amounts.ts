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
export function amountsIn(value: Json): number[] {
  const amounts: number[] = [];
  const known = new Map<string, boolean>();
  const isMoney = (name: string): boolean => {
    const isKnown = known.get(name) ?? namesMoney(name);
    known.set(name, isKnown);
    return isKnown;
  };
  const visit = (node: Json, name: string): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, name);
    else if (node !== null && typeof node === 'object')
      for (const key of Object.keys(node)) visit(node[key] as Json, key);
    else if (node !== null && typeof node !== 'boolean' && isMoney(name)) {
      const amount = numberOf(node);
      if (amount !== null) amounts.push(Math.abs(amount));
    }
  };
  visit(value, '');
  return amounts;
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
