// Folded texts and the atoms in them; the vectors of the SDKs have more cases.
import { expect, test } from 'vitest';
import { ATOMS_MAX, foldValue, listAtoms, listInnerAtoms } from '../src/index.ts';

test.each([
  ['  Straße\u0085 12 ', 'strasse 12'],
  ['ΟΔΟΣ', 'οδοσ'],
  ["ΟΔΟΣ'Α", "οδοσ'α"],
  ['ｅｖｉｌ．ｃｏｍ', 'evil.com'],
  ['ﬁle\u00a0\t\n№ 5', 'file no 5'],
  [' \u3000 ', ''],
])('folds %j', (text, folded) => {
  expect(foldValue(text)).toBe(folded);
});

test.each([
  [
    'See HTTPS://Shop.Example.com/x), or www.evil.org.',
    ['https://shop.example.com/x', 'www.evil.org'],
  ],
  ['Mail Bob@X.com, bob@x.com; BOB@x.com', ['bob@x.com']],
  ['Pay US133000000121212121212, not us133000000121212121213', ['us133000000121212121212']],
  ['foo.de/path and evil.ch. config.description is none', ['foo.de/path', 'evil.ch']],
  ['<a href="https://shop.test/q">x</a>', ['https://shop.test/q']],
  ['HTTPS://A.TEST/a ｅｖｉｌ．ｃｏｍ', ['https://a.test/a', 'evil.com']],
  ['a@b@c.com, a..evil.com, @evil.ch', ['b@c.com', 'a..evil.com', 'evil.ch']],
  ['nothing: at all, 12.5 and e.g. this', []],
])('finds the atoms of %j', (text, atoms) => {
  expect(listAtoms(text)).toEqual(atoms);
});

test('a text that is one atom has none beside itself', () => {
  expect(listInnerAtoms(' Bob@X.com ')).toEqual([]);
  expect(listInnerAtoms('to Bob@X.com')).toEqual(['bob@x.com']);
});

test('atoms are cut, and one more than may have a source shows that there are more', () => {
  expect(listAtoms(`https://${'a'.repeat(9_999)}`)[0]).toHaveLength(500);
  const many = Array.from({ length: 999 }, (_, at) => `a${at}@b.com`).join(' ');
  expect(listAtoms(many)).toHaveLength(ATOMS_MAX + 1);
});

test.each(['a.', 'a-', 'a@', 'a.a@', 'www.', 'http://', '@a.b', 'com.', '.com/', 'AB12345678901'])(
  'the search is linear in texts of %s',
  (part) => {
    const began = performance.now();
    listAtoms(part.repeat(200_000 / part.length));
    expect(performance.now() - began).toBeLessThan(500);
  },
);
