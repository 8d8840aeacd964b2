// CSV that a spreadsheet shows and does not run.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cell, formatCsvHeader, formatCsvLine } from '../../src/domain/csv.ts';
import { chooseRuns } from '../setup/runs.ts';

/** The cells of one line, read by the grammar of RFC 4180, by a reader that splits at `separator`. */
function cellsOf(line: string, separator = ','): string[] {
  const cells: string[] = [];
  const [end, plain] = [`\r\n`, new RegExp(`[^"${separator}\r\n]*`, 'y')];
  const quoted = /"((?:[^"]|"")*)"/y;
  for (let at = 0; at <= line.length - end.length; at += 1) {
    const pattern = line[at] === '"' ? quoted : plain;
    pattern.lastIndex = at;
    const [whole = '', inner = whole] = pattern.exec(line) ?? [];
    cells.push(inner.replaceAll('""', '"'));
    at += whole.length;
    expect([separator, '\r']).toContain(line[at]);
  }
  return cells;
}

test.each<[what: string, cell: Cell, written: string]>([
  ['a text', 'order 17', '"order 17"'],
  ['a comma', 'a,b', '"a,b"'],
  ['quotes', 'say "no"', '"say ""no"""'],
  ['a line break', 'a\nb', '"a\nb"'],
  ['a semicolon', 'a;b', '"a;b"'],
  ['a formula behind a semicolon', 'a;=1+1', '"a;=1+1"'],
  ['a tab', 'a\tb', '"a\tb"'],
  ['a formula behind a semicolon that stands first', ';=1+1', '";=1+1"'],
  ['a number as a text', '007', '"007"'],
  ['an empty text', '', '""'],
  ['nothing', null, ''],
  ['an absent value', undefined, ''],
  ['true', true, 'true'],
  ['false', false, 'false'],
  ['zero', 0, '0'],
  ['a negative number, which is no formula', -0.5, '-0.5'],
  ['a formula', '=1+1', '"\'=1+1"'],
  ['a text that begins like a number', '-2+3', '"\'-2+3"'],
  ['a plus', '+49 171', '"\'+49 171"'],
  ['an at', '@SUM(A1)', '"\'@SUM(A1)"'],
  ['a tab before a formula', '\t=1', '"\'\t=1"'],
  ['a carriage return before a formula', '\r=1', '"\'\r=1"'],
  ['spaces before a formula', '  =1', '"\'  =1"'],
  ['a line feed before a formula', '\n=1', '"\'\n=1"'],
  ['a character without width before a formula', '\u200b=1', '"\'\u200b=1"'],
  ['a byte order mark before a formula', '\ufeff=1', '"\'\ufeff=1"'],
  ['a full-width equals sign', '＝1', '"\'＝1"'],
  ['a formula behind words, which is none', 'see =1', '"see =1"'],
])('%s', (_what, cell, written) => {
  expect(formatCsvLine([cell])).toBe(`${written}\r\n`);
  expect(formatCsvLine(['before', cell, 'after'])).toBe(`"before",${written},"after"\r\n`);
});

test('the first line begins with a byte order mark, no other does', () => {
  expect(formatCsvHeader(['a', 'b'])).toBe('\ufeff"a","b"\r\n');
  expect(formatCsvLine(['a', 'b'])).toBe('"a","b"\r\n');
});

describe('whatever the texts are', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n ,;|"\'a＝\u200b') }),
  );

  test('a line has its cells, and none is a formula', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 6 }), (texts) => {
        const cells = cellsOf(formatCsvLine(texts));
        expect(cells.map((cell, at) => (cell === texts[at] ? cell : cell.slice(1)))).toEqual(texts);
        for (const cell of cells) expect(cell).not.toMatch(/^[\s\p{C}]*[=+\-@＝＋－＠]/u);
      }),
      { numRuns: chooseRuns(300, 2_000) },
    );
  });
  test.each([';', '\t', '|'])(
    'a text in a line of its own is one cell where %j separates',
    (by) => {
      fc.assert(
        fc.property(text, (written) => {
          const cells = cellsOf(formatCsvLine([written]), by);
          expect(cells).toHaveLength(1);
          expect(cells[0]).not.toMatch(/^[\s\p{C}]*[=+\-@＝＋－＠]/u);
        }),
        { numRuns: chooseRuns(100, 1000) },
      );
    },
  );
});
