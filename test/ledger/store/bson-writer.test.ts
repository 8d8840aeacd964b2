// The writer of documents against the driver's own: the same bytes, and the same refusals.
// @module-tag varied
import fc from 'fast-check';
import { mongo, Types } from 'mongoose';
import { expect, test } from 'vitest';
import { writeDocuments } from '../../../src/ledger/bson-writer.ts';
import { chooseRuns } from '../../setup/runs.ts';
import { document } from './any-document.ts';

const { BSON } = mongo;

const byDriver = (all: readonly object[]): Buffer =>
  Buffer.concat(all.map((one) => BSON.serialize(one, { ignoreUndefined: true })));

/** What a writer makes of documents, refusals included. */
function outcome(write: (all: readonly object[]) => Buffer, all: readonly object[]): unknown {
  try {
    return { bytes: write(all).toString('hex') };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

function expectSame(...all: readonly object[]): void {
  expect(outcome(writeDocuments, all)).toEqual(outcome(byDriver, all));
}

test('any documents are written as the driver writes them', { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(fc.array(document, { minLength: 1, maxLength: 4 }), (all) => expectSame(...all)),
    { numRuns: chooseRuns(800, 50_000) },
  );
});

const id = new Types.ObjectId();
class Own {
  readonly member = 1;
}

test.each<[what: string, value: unknown]>([
  ['a text of many bytes', 'é'.repeat(70_000)],
  ['a short text of characters that take three bytes', '語'.repeat(24)],
  ['half of a pair of surrogates', 'a\ud800b'],
  ['the same in a long text', '\udc00'.repeat(30)],
  ['zeros in a text', 'a\u0000b'],
  ['minus zero', -0],
  ['no number', NaN],
  ['the least integer of 32 bits', -(2 ** 31)],
  ['one less', -(2 ** 31) - 1],
  ['one more than the greatest', 2 ** 31],
  ['a time before 1970', new Date(-1)],
  ['the first time of all', new Date(-8.64e15)],
  ['the last one', new Date(8.64e15)],
  ['no time', new Date(NaN)],
  ['bytes in part of a buffer', Buffer.from('abcdef').subarray(2, 4)],
  ['many bytes', new Uint8Array(3_000_000)],
  ['a list with undefined', [undefined, 1, null]],
  ['a list with holes', Object.assign([], { length: 3 })],
  ['undefined in an object in a list', [{ a: undefined, b: id }]],
  ['an object of a class', new Own()],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 })],
  ['what says itself how it is written', { toBSON: () => 'otherwise' }],
  ['a map', new Map([['a', 1]])],
  ['a function', () => 1],
  ['a symbol', Symbol('a')],
  ['an integer of any size', 12n],
  ['a type of BSON by its name alone', { _bsontype: 'Unheard' }],
  ['a reference', { $ref: 'a', $id: id }],
  ['a name with a zero', { 'a\u0000b': 1 }],
  ['a name that is not ASCII', { ключ: 1 }],
  ['an empty object, an empty list and an empty text', { a: {}, b: [], c: '' }],
])('%s is written as the driver writes it', (_what, value) => {
  expectSame({ value, after: 1 }, { other: value });
});

test('a batch that is larger than what is kept is written whole', () => {
  const all = Array.from({ length: 300 }, (_, count) => ({
    _id: id,
    count,
    text: 'x'.repeat(9_000),
  }));
  expectSame(...all);
  expectSame({ after: 'it' });
});
