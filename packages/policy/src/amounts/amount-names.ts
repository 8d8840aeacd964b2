// Reads from the name of a member whether it holds money, in which unit (cents, thousands) and in which currency.
import { findMagnitude } from './amount-text.ts';
import { isCurrencyCode } from './currencies.ts';

/**
 * How surely a name means money. `amount`: any value, and every number inside an object. `price`: the same, except text
 * without digits. `event`: something that has an amount (`payment`, `refund`); inside an object only members named like
 * a value count.
 */
export type MoneyLevel = 'amount' | 'price' | 'event';

/** Power of ten by which a written number is multiplied; `minor`: it is in the smallest unit of the currency. */
export type Scale = 'minor' | number;

export interface NameMeaning {
  level: MoneyLevel | null;
  /** `value` members are amounts only inside an object about money; `other` members never are. */
  role: 'money' | 'value' | 'shown' | 'scale' | 'currency' | 'other' | 'plain';
  scale: Scale;
  currency: string | null;
}

const toWordSet = (words: string): Set<string> => new Set(words.split(/\s+/));

const amountWords = toWordSet(
  `amount amounts amt amnt money betrag beträge summe montant montants importe importes monto montos importo importi bedrag kwota
  金額 金额 금액`,
);
const priceWords = toWordSet(
  'price prices subtotal preis preise prix precio precios prezzo prezzi prijs cena 价格 価格 價格 가격',
);
const eventWords = toWordSet(
  `cost costs fee fees refund refunds charge charges payout payouts payment payments salary salaries wage wages bonus budget budgets
  deposit deposits debit debits principal premium premiums loan loans rent rents withdrawal withdrawals reimbursement reimbursements
  compensation donation donations kosten gebühr gebühren zahlung erstattung gehalt frais coût costo costos coste`,
);
/** Words that mean an amount as the whole name, or at its end behind a word such as `grand`. */
const totals = toWordSet('total sum dollar dollars euro euros cents cent pence');
const beforeTotal = toWordSet(
  'grand order invoice cart basket bill checkout purchase net gross sub final',
);
const behindTotal = toWordSet('due paid net gross price cost charge');
const valueWords = toWordSet(
  `value val units unit nanos nano micros micro minor major cents cent pence number raw content gross net figure decimal double float
  integer int coefficient mantissa magnitude wert valor valeur valore t text`,
);
const shownWords = toWordSet('formatted display displayed string');
const scaleWords = toWordSet('exponent scale precision decimals digits places');
const currencyWords = toWordSet('currency currencies ccy cur währung devise moneda valuta');
/** Words that rule an amount out at the end of a name or behind a money word: `payment_id`, `refund_count`. */
const otherWords = toWordSet(
  `id ids uuid guid count counts method methods type types kind status state date dates day days time times timestamp month months
  year years period frequency nr no ref refs reference references code codes name names label title description note notes memo reason
  email phone address account iban bic bank url uri link token key hash index version term terms percent percentage pct rate ratio bps
  locale symbol quantity qty attempts retries intent processor provider gateway network card brand last expiry tier level category center
  centre department enabled required allowed flag currency ccy`,
);
const units: Readonly<Record<string, Scale>> = {
  minor: 'minor',
  cents: -2,
  cent: -2,
  pence: -2,
  centimes: -2,
  centavos: -2,
  paise: -2,
  øre: -2,
  öre: -2,
  micros: -6,
  micro: -6,
  nanos: -9,
  nano: -9,
};

const plain: NameMeaning = { level: null, role: 'plain', scale: 0, currency: null };

/** Splits `totalEUR` into `total` and `EUR`; punctuation and digits separate words, too. */
function splitWords(name: string): string[] {
  return name
    .normalize('NFKC')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

export function readNameMeaning(name: string): NameMeaning {
  const written = splitWords(name);
  const words = written.map((word) => word.toLowerCase());
  const last = words.at(-1);
  // XML parsers name the text of an element `_`, `$` or `#`.
  if (last === undefined) return { ...plain, role: 'value' };
  const level = deriveMoneyLevel(words);
  const role = level === null ? deriveRole(words) : 'money';
  if (!['money', 'value', 'plain'].includes(role)) return { ...plain, role };
  const scale = deriveScale(words);
  const currency = written.find(isCurrencyCode)?.toUpperCase() ?? null;
  const isPrice = currency !== null && (role === 'value' || words.length === 1);
  return isPrice && level === null
    ? { level: 'price', role: 'money', scale, currency }
    : { level, role, scale, currency };
}

/** The role of a member whose name alone does not mean an amount. */
function deriveRole(words: readonly string[]): NameMeaning['role'] {
  const last = words.at(-1)!;
  if (currencyWords.has(last) || (words.includes('currency') && last === 'code')) return 'currency';
  if (scaleWords.has(last)) return 'scale';
  if (otherWords.has(last)) return 'other';
  if (words.some((word) => shownWords.has(word))) return 'shown';
  return words.some((word) => valueWords.has(word)) ? 'value' : 'plain';
}

function deriveScale(words: readonly string[]): Scale {
  const unit = words.map((word) => units[word]).find((scale) => scale !== undefined);
  return unit ?? derivePowerOfTen(words);
}

function deriveMoneyLevel(words: readonly string[]): MoneyLevel | null {
  const last = words.at(-1)!;
  if ([otherWords, scaleWords, currencyWords].some((all) => all.has(last))) return null;
  const counted = words.filter((_, at) => !otherWords.has(words[at + 1] ?? ''));
  if (counted.some(isAmount)) return 'amount';
  if (counted.some((word) => priceWords.has(word) || /.(?:price|preis)$/.test(word)))
    return 'price';
  if (counted.some((word) => eventWords.has(word))) return 'event';
  return isTotal(words) ? 'price' : null;
}

function isAmount(word: string): boolean {
  return amountWords.has(word) || /.(?:amount|betrag|summe)s?$/.test(word);
}

function isTotal(words: readonly string[]): boolean {
  if (words.some((word) => word === 'cents' || word === 'pence')) return true;
  const [first = '', ...others] = words.filter((word) => !isCurrencyCode(word));
  if (totals.has(first) && others.every((word) => behindTotal.has(word))) return true;
  return beforeTotal.has(first) && others.length === 1 && ['total', 'sum'].includes(others[0]!);
}

/** The power of ten in a name: 3 in `budget_in_thousands`. Single letters, and `grand`, mean other things in names. */
function derivePowerOfTen(words: readonly string[]): number {
  const powers = words.map((word) =>
    word === 'k' || (word.length > 1 && word !== 'grand') ? (findMagnitude(word)?.[1] ?? 0) : 0,
  );
  return Math.max(0, ...powers);
}
