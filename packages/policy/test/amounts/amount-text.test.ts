// Amounts as people and machines of many countries write them.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAmount } from '../../src/amounts/amount-text.ts';
import { chooseRuns } from '../../../../test/setup/runs.ts';

const spellings = `82000.5|82000,50|82,000.50|82.000,50|82 000,50|82 000,50|82 000.50|82'000.50|82’000,50|82_000.50|82000.500
  +82000.50|-82000.50|−82.000,50|82,000.50-|(82,000.50)|($82,000.50)|$82,000.50|-$82,000.50|$-82,000.50|US$ 82,000.50|82,000.50 USD
  82.000,50 €|€82.000,50|€ 82.000,50|EUR 82.000,50|EUR82000.50|82000.50EUR|82000,5 euros|82000.50 Eur|CHF 82’000.50|Fr. 82'000.50
  82 000,50 kr|kr 82.000,50|kr.82.000,50|82 000,50 zł|82 000,50 Kč|R$ 82.000,50|Rs. 82,000.50|₹82,000.50|£82,000.50|82,000.50 GBP
  ８２，０００．５０|￥82,000.50|٨٢٬٠٠٠٫٥٠|८२,०००.५०|82000·50|82.0005k|€82.0005k|0.0820005M|0,0820005 Mio. €|8.20005e4
  8,20005E+4|82000.50 US dollars|$82,000.50 USD|k€ 82.0005|82.0005 TEUR|0.820005 lakh`;

const whole = `82000|82,000|82.000 €|82.000,-|82.000,- €|CHF 82'000.–|82.000,--|Rs. 82,000/-|82 000|¥82,000|JPY 82,000|82k|82 k€|EUR 82K
  8.2万円|82 thousand|$82K|82.000.|EUR 82.000|82.000 EUR`;

const list = (text: string): string[] => text.split(/\n\s*|\|/);

describe('an amount as text', () => {
  it.each(list(spellings))('%s', (text) => {
    expect(readAmount(text)).toEqual({ atLeast: 82_000.5, atMost: 82_000.5 });
  });

  it.each(list(whole).filter((text) => text !== '82.000.'))('%s in whole units', (text) => {
    expect(readAmount(text)).toEqual({ atLeast: 82_000, atMost: 82_000 });
  });

  it.each([
    ['₹8,20,000', 820_000],
    ['1,23,45,678.90', 12_345_678.9],
    ['1.234.567', 1_234_567],
    ['1 234 567,8', 1_234_567.8],
    ['0.234', 0.234],
    ['0,234', 0.234],
    ['.5', 0.5],
    ['$.50', 0.5],
    ['1234.567', 1234.567],
    ['1234,567', 1234.567],
    ['5 mm USD', 5_000_000],
    ['1.234,567', 1234.567],
    ['1,234', 1234],
    ['007', 7],
  ])('%s is %d', (text, amount) => {
    expect(readAmount(text)).toEqual({ atLeast: amount, atMost: amount });
  });

  it.each([
    ['1.234', null, 1.234, 1234],
    ['1.234', 'KWD', 1.234, 1234],
    ['1,234 TND', null, 1.234, 1234],
    ['1.234', 'XYZ', 1.234, 1234],
    ['1.234', 'EUR', 1234, 1234],
    ['¥1.234', null, 1234, 1234],
    ['12,3456', null, 12.3456, 123_456],
    ['1.234k', null, 1234, 1_234_000],
    ['3 mil', null, 3_000, 3_000_000],
    ['2 Cr', null, 2, 20_000_000],
    ['1 billion', null, 1e9, 1e12],
  ])('%s in %s is from %d to %d', (text, currency, atLeast, atMost) => {
    expect(readAmount(text, currency)).toEqual({ atLeast, atMost });
  });

  it.each(
    list(
      `1,2,3|1.234,567,8|1.2.3|12 34|1,,000|1'2'3|5%|5 kg|five|5 to 9|5-9|5/9|82,000 or more|~5|2026-01-01|0x52|1e9999|Rs .82|12,34,56|4²|Ⅷ`,
    ),
  )('%s is not read', (text) => expect(readAmount(text)).toBeNull());

  it.each(['1'.repeat(200_000), ' '.repeat(200_000), '1,'.repeat(100_000), 'k'.repeat(200_000)])(
    'is not looked for in a long text',
    (text) => expect(readAmount(text)).toBeNull(),
  );
});

const locales =
  `en-US en-GB en-IN en-ZA de-DE de-AT de-CH fr-FR fr-CH fr-CA it-IT it-CH es-ES es-MX pt-BR pt-PT nl-NL da-DK sv-SE nb-NO
  fi-FI pl-PL cs-CZ sk-SK hu-HU ro-RO bg-BG el-GR tr-TR ru-RU uk-UA he-IL ar-EG ar-AE fa-IR hi-IN bn-BD mr-IN th-TH-u-nu-thai ja-JP zh-CN
  ko-KR vi-VN id-ID ms-MY sl-SI hr-HR lt-LT lv-LV et-EE is-IS ta-IN my-MM ne-NP`.split(/\s+/);

const anAmount = fc.integer({ min: 0, max: 999_999_999_999 }).map((hundredths) => hundredths / 100);

describe('what a locale writes', () => {
  it.each(locales)('%s', (locale) => {
    const formats = (['EUR', 'USD', 'GBP', 'CHF', 'INR'] as const).flatMap((currency) =>
      (['code', 'symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
        const options = { style: 'currency', currency, currencyDisplay } as const;
        return new Intl.NumberFormat(locale, options);
      }),
    );
    const numbers = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });
    fc.assert(
      fc.property(
        anAmount,
        fc.constantFrom(...formats, numbers),
        fc.boolean(),
        (amount, format, isNegative) => {
          const text = format.format(isNegative ? -amount : amount);
          expect(readAmount(text), text).toEqual({ atLeast: amount, atMost: amount });
        },
      ),
      { numRuns: chooseRuns(30, 600) },
    );
  });
});

it('no text is read as less than its digits say', () => {
  const piece = fc.constantFrom(
    '1',
    '9',
    '0',
    '00',
    '000',
    '.',
    ',',
    "'",
    ' ',
    '-',
    '€',
    'k',
    'e',
    'EUR',
    '(',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const read = readAmount(pieces.join(''));
      if (read === null) return;
      expect(read.atLeast).toBeGreaterThanOrEqual(0);
      expect(read.atMost).toBeGreaterThanOrEqual(read.atLeast);
    }),
    { numRuns: chooseRuns(2_000, 10_000) },
  );
});
