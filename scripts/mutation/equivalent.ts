// Mutants that change no observable behaviour; each was reviewed.

interface Equivalent {
  file: string;
  original: string;
  replacement: string;
  reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'src/ledger/verify/sequence-set.ts',
    original: '*',
    replacement: '/',
    reason: 'a page uses fewer of its bits, and the set holds the same',
  },
  {
    file: 'src/ledger/append/insert-batch.ts',
    original: 'throw new RangeError(`no document ${outcome.at} in this batch`);',
    replacement: ';',
    reason: 'for the compiler: a store names documents that it was given',
  },
  {
    file: 'src/ledger/append/append-batch.ts',
    original: "entry['content'] === undefined",
    replacement: 'false',
    reason: 'without locked content the values are those of the draft anyway',
  },
  {
    file: 'src/ledger/verify/verification-thread.ts',
    original: '{ uri, poolSize: POOL_SIZE }',
    replacement: '{ uri }',
    reason: 'the size of a pool changes how fast, not what',
  },
  {
    file: 'src/ledger/verify/verify-chain.ts',
    original: '{ ...MAJORITY, projection: { _id: 1 } }',
    replacement: '{ ...MAJORITY }',
    reason: 'the document is only counted',
  },
  {
    file: 'src/ledger/verify/verify-chain.ts',
    original: 'range.first !== next || range.before > before',
    replacement: 'true',
    reason: 'what other threads have replayed is replayed again',
  },
  {
    file: 'scripts/verify-bundle/mark-set.ts',
    original: '+',
    replacement: '-',
    reason: 'the set grows two marks later, and holds the same',
  },
  {
    file: 'src/domain/identity/certificates.ts',
    original: '8192',
    replacement: '8193',
    reason: 'a bound of work: keys have whole bytes, and one bit costs nothing',
  },
];
