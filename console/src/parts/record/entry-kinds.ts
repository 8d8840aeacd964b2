// Names of the kinds of entries; another kind is shown by its own name.
const KINDS: Readonly<Record<string, string>> = {
  trace: 'Proposed and judged',
  correction: 'Corrected by a person',
  review: 'Decided by a person',
  status: 'Status changed',
  execution: 'Executed',
  erasure: 'Erased',
  certificate: 'Erasure certified',
  manifest: 'Manifest signed',
  compliance: 'Clause attested',
  assessment: 'Assessment attested',
  halt: 'Halted, watched or resumed',
  checkpoint: 'Report to a regulator',
};

export const describeKind = (kind: string): string => KINDS[kind] ?? kind;
