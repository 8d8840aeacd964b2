// Read and write concerns: nothing is read or acknowledged that could be rolled back.

export const MAJORITY = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const;
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
/** Options of a transaction: it reads one state of the majority, and is durable when it is committed. */
export const TRANSACTION = {
  ...DURABLE,
  readConcern: { level: 'snapshot' },
  readPreference: 'primary',
} as const;
