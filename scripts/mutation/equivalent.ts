// Mutants that change no observable behaviour; each was reviewed.

interface Equivalent {
  file: string;
  /** The line on which it begins, without its indent. */
  line: string;
  original: string;
  replacement: string;
  reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'src/ledger/verify/sequence-set.ts',
    line: 'const PAGE_BITS = PAGE_BYTES * 8;',
    original: '*',
    replacement: '/',
    reason: 'a page uses fewer of its bits, and the set holds the same',
  },
  {
    file: 'src/ledger/append/insert-batch.ts',
    line: 'if (!document) throw new RangeError(`no document ${outcome.at} in this batch`);',
    original: 'throw new RangeError(`no document ${outcome.at} in this batch`);',
    replacement: ';',
    reason: 'for the compiler: a store names documents that it was given',
  },
  {
    file: 'src/ledger/append/append-batch.ts',
    line: "if (entry['content'] === undefined) return entry;",
    original: "entry['content'] === undefined",
    replacement: 'false',
    reason: 'without locked content the values are those of the draft anyway',
  },
  {
    file: 'src/ledger/verify/verify-chain.ts',
    line: 'return (await entries.findOne(filter, { ...MAJORITY, projection: { _id: 1 } })) !== null;',
    original: '{ ...MAJORITY, projection: { _id: 1 } }',
    replacement: '{ ...MAJORITY }',
    reason: 'the document is only counted',
  },
  {
    file: 'src/ledger/verify/verify-chain.ts',
    line: 'if (range.first !== next || range.before > before) break;',
    original: 'range.first !== next || range.before > before',
    replacement: 'true',
    reason: 'what other threads have replayed is replayed again',
  },
  {
    file: 'packages/verifier/src/pins/mark-set.ts',
    line: 'if (2 * (this.size + 1) > this.slots.length / MARK_BYTES) this.expandSlots();',
    original: '+',
    replacement: '-',
    reason: 'the set grows two marks later, and holds the same',
  },
  {
    file: 'packages/saml/src/certificates.ts',
    line: 'const MAX_ISSUER_BITS = 8192;',
    original: '8192',
    replacement: '8193',
    reason: 'a bound of work: keys have whole bytes, and one bit costs nothing',
  },
  {
    file: 'src/evidence/erasure/erasure-impact.service.ts',
    line: 'for (let from = 0; from < traceIds.length; from += BATCH) {',
    original: '<',
    replacement: '<=',
    reason: 'a query for no decisions finds none',
  },
  {
    file: 'packages/json/src/canonical-json.ts',
    line: 'for (; at > 0 && (texts[at - 1] as string) > text; at--) texts[at] = texts[at - 1] as string;',
    original: '>',
    replacement: '>=',
    reason: 'equal texts may change places',
  },
  {
    file: 'packages/patterns/src/part-search.ts',
    line: 'return parts.length * text.length <= FEW',
    original:
      'parts.length * text.length <= FEW\n    ? new Set(parts.filter((part) => createTextSearch(part)(text)))\n    : new PartAutomaton(parts).findParts(text)',
    replacement:
      'parts.length * text.length <= FEW ? new PartAutomaton(parts).findParts(text) : new Set(parts.filter((part) => createTextSearch(part)(text)))',
    reason: 'both ways find the same; one is faster for few, the other for many',
  },
  {
    file: 'packages/policy/src/evaluate.ts',
    line: '.map((slot, i) => ({ slot, cost: costs[conditions[i]!.operator] ?? 0 }))',
    original: '0',
    replacement: '1',
    reason: 'the order of conditions that are joined alike changes how fast, not what',
  },
  {
    file: 'packages/policy/src/evaluate.ts',
    line: 'const costs: Partial<Record<Operator, number>> = { contains: 1, regex: 2 };',
    original: '{ contains: 1, regex: 2 }',
    replacement: '{ contains: 1 }',
    reason: 'as above',
  },
  {
    file: 'src/platform/outbound/receivers.ts',
    line: 'if (!(error instanceof AppError)) throw error;',
    original: 'throw error;',
    replacement: ';',
    reason: 'for the compiler: every other error is an outcome before',
  },
];
