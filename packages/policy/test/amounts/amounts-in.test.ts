// Which members of an action's arguments are amounts of money, in which unit, and which must be one and cannot be read.
import { describe, expect, it } from 'vitest';
import type { Json } from '@assay/json';
import { findAmounts } from '../../src/amounts/amounts-in.ts';

/** A number is an exact amount, a pair its bounds; null has none. */
type Amount = number | [atLeast: number, atMost: number | null];
const UNREAD: Amount = [0, null];

function read(value: Json): Amount[] {
  return findAmounts(value)
    .map(({ atLeast, atMost }): Amount => {
      if (atLeast === atMost) return atLeast;
      return [atLeast, Number.isFinite(atMost) ? atMost : null];
    })
    .sort((a, b) => Number(a) - Number(b));
}

const objects: [Json, Amount[]][] = [
  [{ amount: { currency: 'EUR', value: '82000.50' } }, [82000.5]],
  [{ amount: { currency: 'EUR', value: '82.000,50' } }, [82000.5]],
  [{ amount: { value: 82000.5, unit: 'EUR' } }, [82000.5]],
  [{ transfer: { currency: 'EUR', value: '82000.50' } }, [82000.5]],
  [{ currency: 'EUR', value: 82000.5 }, [82000.5]],
  [{ currency_code: 'EUR', value: 82000.5 }, [82000.5]],
  [{ amount: { EUR: 82000.5 } }, [82000.5]],
  [{ payout: { eur: '82.000,50' } }, [82000.5]],
  [{ refund: { details: { value: '82000.50' } } }, [82000.5]],
  [{ amount: { currencyCode: 'EUR', units: '82000', nanos: 500_000_000 } }, [82000.5]],
  [{ amount: { currencyCode: 'EUR', units: -82000, nanos: -500_000_000 } }, [82000.5]],
  [{ amount: { currencyCode: 'EUR', units: '82000' } }, [82000]],
  [{ InstdAmt: { '#text': '82000.50', '@Ccy': 'EUR' } }, [82000.5]],
  [{ Amt: { InstdAmt: { _: '82000.50', $: { Ccy: 'EUR' } } } }, [82000.5]],
  [{ 'ns2:IntrBkSttlmAmt': { $t: '82000.50', Ccy: 'EUR' } }, [82000.5]],
  [{ amount: { net: 80000, tax: 2000.5 } }, [2000.5, 80000]],
  [{ amounts: [{ value: 5, currency: 'EUR' }, '7,50 €', 9] }, [5, 7.5, 9]],
  [{ prices: [[1, 2], ['3']] }, [1, 2, 3]],
  [{ price: { value: 300, formatted: '€300.00' } }, [300]],
  [{ price: { value: 3, formatted: '€300.00' } }, [3, 300]],
];

/** `all` is the code of the lek, too. */
const everything: [Json, Amount[]][] = [
  [{ amount: 'all' }, [UNREAD]],
  [{ amount: 'All' }, [UNREAD]],
  [{ amount: 'ALL' }, [UNREAD]],
  [{ amount: '500 ALL' }, [500]],
  [{ amount: 500, currency: 'ALL' }, [500]],
  [{ amount: ['82000.50', 'EUR'] }, [82000.5]],
  [{ debit: '82.000,50' }, [82000.5]],
  [{ loan: { principal: 82_000 } }, [82_000]],
  [{ rents: [900, 1100] }, [900, 1100]],
  [{ debit_id: 82_000 }, []],
];

const minorUnits: [Json, Amount[]][] = [
  [{ amount_minor: 8_200_050, currency: 'EUR' }, [82000.5]],
  [{ amountMinor: 82_000, currency: 'JPY' }, [82000]],
  [{ minor_units: '82000500', currency: 'KWD' }, [82000.5]],
  [{ order: { currency: { code: 'EUR' }, lines: [{ amount_minor: 5 }] } }, [0.05]],
  [{ amount_jpy_minor: 500 }, [500]],
  // The currency might have no smaller unit.
  [{ amount_minor: 8_200_050 }, [[820.005, 8_200_050]]],
  [{ cents: 8_200_050 }, [82000.5]],
  [{ price_cents: '8200050' }, [82000.5]],
  [{ value_in_cents: 8_200_050 }, [82000.5]],
  [{ amountInPence: 50 }, [0.5]],
  [{ dollars: 82_000, cents: 50 }, [0.5, 82000]],
  [{ cost_micros: 82_000_500_000 }, [82000.5]],
  [{ budget_in_thousands: 82 }, [82000]],
  [{ budgetMio: 1.5 }, [1_500_000]],
  // Nothing says that these are cents: an amount is what is written.
  [{ amount: 8_200_050, currency: 'eur' }, [8_200_050]],
  [{ unit_amount_decimal: '8200050.0', currency: 'usd' }, [8_200_050]],
  [{ amount: { value: 8_200_050, scale: 2 } }, [[82000.5, 8_200_050]]],
  [{ amount: { coefficient: 82, exponent: 3 } }, [[0.082, 82000]]],
];

const names: [Json, Amount[]][] = [
  [{ amount: 250 }, [250]],
  [{ unit_price: -3 }, [3]],
  [{ refundAmount: '$1,200.50' }, [1200.5]],
  [{ totalamount: 7, grandTotal: 8, total_due: 9 }, [7, 8, 9]],
  [{ Gesamtbetrag: '1.234,50 €', montant: '5,00', 金額: 3 }, [3, 5, 1234.5]],
  [{ value_eur: 5, amountUSD: 6, CHF: 7 }, [5, 6, 7]],
  [{ transfer: 'EUR 82,000', value: '€82.000,50' }, [82000, 82000.5]],
  [{ payment_methods: [{ payment_id: 'c1', amount: 250 }, { amount: 5 }] }, [5, 250]],
];

/** Words that are about money by themselves. */
const WORDS = `amount amounts amt money betrag summe montant importe price prices subtotal preis prix precio prezzo cost costs fee fees
  refund refunds charge charges payout payouts payment payments salary salaries wage wages bonus budget budgets deposit deposits withdrawal
  withdrawals reimbursement compensation donation kosten gebühr zahlung erstattung gehalt frais coût costo coste total sum dollars euros`;

const innocent: Json[] = [
  { total_baggages: 3, payment_id: 7, refund_count: 2, discount: 5, rows_total: 9 },
  { payment: { id: 7, card_last4: 4242, exp_year: 2030, created: 1_700_000_000 } },
  { payment: 'credit_card_9', refund: 'ORDER-7', charge: 'ch_3N4', payment_date: 20_260_101 },
  { payment: '2026-01-02', fee_percent: 5, cost_center: 4711, charge_code: 'C-9' },
  { amount: null, price: true, cost: '', fee: 'none', sum: ' - ' },
  { price: 'see catalogue', cost: 'low', budget: 'marketing' },
  { amount: 'EUR' },
  { note: 'it costs $500 to repair', query: 'TOP 10', size: 'ALL 5', version: '1.234' },
  { minor_version: 3, duration_micros: 9, units: 4, all: 5, try: 2, value: 7, code: 'EUR' },
];

const unread: Json[] = [
  { amount: 'a lot' },
  { amount: 'full' },
  { amount: { value: 'all of it', currency: 'EUR' } },
  { amount: 'eighty-two thousand' },
  { refund: 'eighty-two thousand euros' },
  { price: '82000 per month' },
  { cost: '50-82000' },
  { amount: '1,2,3' },
  { amount: '82.000.50' },
  { amount: '0x14050' },
  { amount: '½' },
  { amount: 'NaN' },
  { amount: '1e400' },
  { amount: '9'.repeat(400) },
  { amount: '82 dozen' },
  { amount: '82000€50' },
  { payout: { currency: 'EUR', value: 'ca. 82000' } },
];

describe('amounts', () => {
  it.each([...objects, ...everything, ...minorUnits, ...names])(
    'of %j are %j',
    (given, amounts) => {
      expect(read([given])).toEqual(amounts);
    },
  );

  it.each(WORDS.split(/\s+/))('are what is named %s', (name) => {
    expect(read([{ [name]: 250 }])).toEqual([250]);
    expect(read([{ [`${name}_eur`]: '250,00 €' }])).toEqual([250]);
  });

  it.each(innocent)('are not in %j', (given) => expect(read(given)).toEqual([]));

  it.each(unread)('cannot be read in %j', (given) => expect(read(given)).toEqual([UNREAD]));
});
