// The terms of texts in all scripts: folded alike, cut alike, at indexing and at asking.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createWordDigester,
  parseBlindQuery,
  indexText,
} from '../../../src/domain/search/blind-words.ts';
import { findHits, packDecisions } from '../../../src/domain/search/word-segment.ts';
import { toQueryTerms, readWords, splitTerms } from '../../../src/domain/search/words.ts';
import { chooseRuns } from '../../setup/runs.ts';

const index = (text: string): string =>
  readWords(text)
    .map((word) => [...splitTerms(word)].join('+'))
    .join(' ');
const ask = (text: string): string =>
  readWords(text)
    .map((word) => toQueryTerms(word).join('+'))
    .join(' ');

const blind = createWordDigester(Buffer.alloc(32, 1));
const isFound = async (text: string, query: string): Promise<boolean> => {
  const texts = [await indexText(text, blind, () => Promise.resolve())];
  const segment = packDecisions([{ sequence: 1, generation: 0, texts }]);
  return findHits(segment, parseBlindQuery(query, blind)).length === 1;
};

async function countPauses(text: string): Promise<number> {
  let count = 0;
  await indexText(text, blind, async () => void count++);
  return count;
}

describe('a text', () => {
  it.each([
    ['Straße STRASSE ẞ', 'strasse strasse ss'],
    ['ΟΔΟΣ οδός ὈΔΌΣ', 'οδοσ οδοσ οδοσ'],
    ['İSTANBUL ıstanbul Istanbul i̇stanbul', 'istanbul istanbul istanbul istanbul'],
    ['ＲＥＦＵＮＤ　１２３', 'refund 123'],
    ['ｶﾞｲﾄﾞ ガイド', 'ガイド ガイド'],
    ['ハハ ババ', 'ハハ ババ'],
    ['ﬁle ſo K Å', 'file so k a'],
    ['re\u00adfund re\u2060fund zero\u200bwidth', 'refund refund zero width'],
    ['refund😀paid 👩‍🌾twice 1️⃣', 'refund paid twice 1'],
    ['עִבְרִית مُحَمَّد', 'עברית محمد'],
    ['हिन्दी की', 'हिन्दी की'],
    ['退款请求已被客户取消了', '退款+请求+已+被+客户+取消+了'],
    ['น้ำ ลูกค้าขอเงินคืน', 'น้ำ ลูกค้า+ขอ+เงิน+คืน'],
    ['환불을 돈', '환+환불+불을 돈'],
    ['\u1112\u116a\u11ab\u1107\u116e\u11af', '환+환불'],
    ['ABC公司 API를', 'abc+公司 api+를'],
  ])('%s is indexed as %s', (text, terms) => expect(index(text)).toBe(terms));

  it('folds the same whatever stands before it', () => {
    const text = 'Straße が e\u0301 ｶﾞ 😀é 한국 น้ำ ';
    for (let before = 980; before < 1_020; before++)
      expect(
        index('é '.repeat(10) + 'x'.repeat(before) + ' ' + text)
          .split(' ')
          .slice(11),
      ).toEqual(index(text).split(' '));
  });

  it.each(['的', 'カ', 'ก', 'က', '가', 'a的', 'a가', '\ufdfa', 'á', '\u0301', 'ß '])(
    'of many %s is read in many parts, between which others are served',
    async (unit) => {
      const text = unit.repeat(60_000).slice(0, 60_000);
      expect(await countPauses(text)).toBeGreaterThanOrEqual(25);
    },
  );
});

describe('a query', () => {
  it.each([
    ['환불을 고객에게서 돈이 회의', '환불 고객 돈이 회의'],
    ['API를 를', 'api 를'],
    ['요청했습니다', '요청+청했+했습+습니+니다'],
  ])('%s is asked as %s', (query, terms) => expect(ask(query)).toBe(terms));

  it.each<[string, string[], string[]]>([
    [
      '退款请求已被客户取消了',
      ['退款', '请求', '客户取消', '"退款请求"', '－海 退款'],
      ['海豚', '请退', '退款客户'],
    ],
    ['東京都で返金を取り消しました', ['東京', '返金', '取り消し'], ['京都', '金返']],
    ['ลูกค้าขอเงินคืนเพราะสินค้าเสียหาย', ['ลูกค้า', 'เงินคืน', 'เสียหาย', '"เงินคืน"'], ['ปลา', 'คืนเงิน']],
    [
      '고객이 환불을 요청했습니다',
      ['고객', '환불', '환불이', '요청', '"환불을 요청했습니다"', '고객에게'],
      ['객이환', '거절', '"환불 요청"'],
    ],
    ['Die Straße', ['STRASSE', 'strasse', 'straße', 'STRAẞE'], ['stras', 'masse']],
  ])('%s is found by %j, not by %j', async (text, finding, others) => {
    for (const query of finding) expect([query, await isFound(text, query)]).toEqual([query, true]);
    for (const query of others) expect([query, await isFound(text, query)]).toEqual([query, false]);
  });

  it('finds a text by each of its words', async () => {
    const written = fc.constantFrom(
      ...['退款', '客户', '取消', '返金', 'カスタマー', 'しました', 'ลูกค้า', 'เงิน', 'สินค้า'],
      ...[
        '환불을',
        '고객이',
        'Straße',
        'ΟΔΟΣ',
        'ığdır',
        'İzmir',
        'ＡＢＣ',
        'ﾃﾞｰﾀ',
        'हिन्दी',
        'refund',
      ],
      ...[' ', ' ', ' ', '😀', '、', '-', '\u200b', '👩‍🌾'],
    );
    const words = new Intl.Segmenter('en', { granularity: 'word' });
    await fc.assert(
      fc.asyncProperty(fc.array(written, { maxLength: 400 }), async (parts) => {
        const text = parts.join('');
        for (const word of text.split(/[^\p{L}\p{N}\p{M}]+/u).filter(Boolean)) {
          if (word.length < 200) expect([word, await isFound(text, word)]).toEqual([word, true]);
          for (const one of [word.toUpperCase(), word.normalize('NFD')])
            if (one.length < 200) expect([one, await isFound(text, one)]).toEqual([one, true]);
        }
        for (const { segment, isWordLike } of words.segment(text.normalize('NFKC')))
          if (isWordLike) expect([segment, await isFound(text, segment)]).toEqual([segment, true]);
      }),
      { numRuns: chooseRuns(5, 200) },
    );
  });
});
