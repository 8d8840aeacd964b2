// Texts for fonts with a limited set of characters.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextDrawers } from '../../../src/platform/pdf/drawable-text.ts';
import { chooseRuns } from '../../setup/runs.ts';

const GLYPHS = 'abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-\\^[]+…\u200b';
const createDrawer = createTextDrawers([...GLYPHS].map((glyph) => glyph.codePointAt(0) ?? 0));

test.each([
  ['letters of the font', 'Ada [1] ^-\\\nLtd', 'Ada [1] ^-\\\nLtd'],
  ['a letter that it has not', 'a漢b', 'a[U+6F22]b'],
  ['some of them', 'a 漢字 b', 'a [U+6F22 U+5B57] b'],
  ['beyond the basic plane', '😀', '[U+1F600]'],
  ['a letter and its accent', 'e\u0301', 'e[U+0301]'],
  ['what is never drawn', 'a\u0000b\u202ec\ud800d\u2028e', 'a b c d e'],
  ['a long word', 'a'.repeat(50), `${'a'.repeat(24)}\u200b${'a'.repeat(24)}\u200baa`],
])('%s', (_, text, drawn) => {
  const drawer = createDrawer();
  expect(drawer.draw(text)).toBe(drawn);
  expect(drawer.hasReplaced).toBe(drawn.includes('U+'));
});

test('a document spells out at most 20,000 characters, and omits the others', () => {
  const drawer = createDrawer();
  const shown = drawer.draw('漢 '.repeat(25_000));
  expect(shown.split('U+6F22')).toHaveLength(20_001);
  expect(shown.split('[…] ')).toHaveLength(5001);
  expect(drawer.draw('漢'.repeat(9000))).toBe('[…]');
  expect(createDrawer().draw('漢')).toBe('[U+6F22]');
});

test('only characters with glyphs remain in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      for (const character of createDrawer().draw(text)) expect(`${GLYPHS}\n`).toContain(character);
    }),
    { numRuns: chooseRuns(300, 2_000) },
  );
});
