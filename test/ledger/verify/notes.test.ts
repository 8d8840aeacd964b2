// Evidence of how far a chain once reached: an empty chain is complete only where nothing was noted.
import { expect, test } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import { ChainReplay } from '../../../src/ledger/verify/chain-replay.ts';
import type { Notes } from '../../../src/ledger/verify/notes.ts';
import { traceColumns } from '../../../src/decisions/traces/traces.columns.ts';

const NONE: Notes = { heads: [], malformed: 0, reached: 0 };
const head = { sequence: 2, chainHash: 'a'.repeat(64) };

test.each<[string, Notes, string | undefined, object]>([
  ['nothing', NONE, undefined, { headSequence: 0, ok: null }],
  ['a sequence', { ...NONE, reached: 3 }, 'once reached 3', { headSequence: 3, ok: false }],
  ['a head', { ...NONE, heads: [head] }, 'once reached 2', { headSequence: 2, ok: false }],
  [
    'a head and a later sequence',
    { ...NONE, heads: [head], reached: 3 },
    'once reached 3',
    { headSequence: 3, ok: false },
  ],
  [
    'a head that names no position',
    { ...NONE, malformed: 1 },
    'names no position',
    { headSequence: 0, ok: false },
  ],
])('an empty chain of which %s is known', (_what, notes, found, completeness) => {
  const replay = new ChainReplay({
    genesis: DECISIONS.genesis,
    columns: traceColumns,
    notes,
    erasedUntil: null,
    after: null,
  });
  const verification = replay.toVerification();
  expect(verification).toMatchObject({ verified: found === undefined, completeness });
  if (found === undefined) expect(verification.broken).toBeNull();
  else
    expect(verification.broken).toMatchObject({
      expectedSequence: 1,
      what: expect.stringContaining(found),
    });
});
