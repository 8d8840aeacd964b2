// Compares the reader of stored documents with the driver's own: the same values and the same refusals.
// @module-tag varied
import fc from 'fast-check';
import { mongo } from 'mongoose';
import { expect, test } from 'vitest';
import { readDocument, readIntact } from '../../../src/ledger/bson-reader.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import { traceColumns } from '../../../src/decisions/traces/traces.columns.ts';
import { ChainReplay } from '../../../src/ledger/verify/chain-replay.ts';
import { chooseRuns } from '../../setup/runs.ts';
import { document } from './any-document.ts';

const { BSON } = mongo;

function serialized(value: Record<string, unknown>): Buffer {
  return Buffer.from(BSON.serialize(value, { ignoreUndefined: false }));
}

/** Returns what a reader makes of bytes, refusals included. */
function outcome(read: (bytes: Buffer) => unknown, bytes: Buffer): unknown {
  try {
    return { value: read(bytes) };
  } catch (error) {
    return { refused: (error as Error).name };
  }
}

function expectSame(bytes: Buffer): void {
  expect(outcome(readDocument, bytes)).toStrictEqual(
    outcome((all) => BSON.deserialize(all), bytes),
  );
}

test('any document is read as the driver reads it', { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(document, (value) => expectSame(serialized(value))),
    { numRuns: chooseRuns(400, 2_000) },
  );
});

test('a damaged document is read as the driver reads it', { timeout: 300_000 }, () => {
  const damaged = fc
    .tuple(document, fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([value, place, byte]) => {
      const bytes = serialized(value);
      bytes[place % bytes.length] = byte;
      return bytes;
    });
  fc.assert(fc.property(damaged, expectSame), { numRuns: chooseRuns(800, 4_000) });
});

test('a byte that is no UTF-8 is refused, although it decodes to a replacement character', () => {
  for (const letters of [1, 60]) {
    const bytes = serialized({ text: 'x'.repeat(letters) });
    bytes[bytes.length - 3] = 0xff;
    expect(() => readDocument(bytes)).toThrow('UTF-8');
  }
});

test('both readers return the last of two members with the same name', () => {
  const twice = serialized({ verdict: 'approved', other0: 1, verdicT: 'blocked' });
  twice.write('verdict', twice.indexOf('verdicT'));
  expectSame(twice);
  expect(readDocument(twice)).toStrictEqual({ verdict: 'blocked', other0: 1 });
});

test('a document that is a slice of a larger buffer is read within its bounds', () => {
  const batch = Buffer.concat([
    serialized({ a: 1 }),
    serialized({ b: 'two' }),
    serialized({ c: 3 }),
  ]);
  const size = serialized({ a: 1 }).length;
  expect(readDocument(batch.subarray(size, size + serialized({ b: 'two' }).length))).toStrictEqual({
    b: 'two',
  });
});

test('an unreadable entry breaks the chain at its sequence', () => {
  const replay = new ChainReplay({
    genesis: DECISIONS.genesis,
    columns: traceColumns,
    notes: { heads: [], malformed: 0, reached: 0 },
    erasedUntil: null,
    after: null,
  });
  const bytes = serialized({ view: 'x' });
  bytes[bytes.length - 3] = 0xff;
  replay.replayEntry(readIntact(bytes));
  expect(replay.toVerification()).toMatchObject({
    verified: false,
    totalChecked: 1,
    lastValidSequence: 0,
  });
  expect(replay.toVerification().broken).toMatchObject({
    sequence: 1,
    reason: 'chain-hash-mismatch',
  });
});
