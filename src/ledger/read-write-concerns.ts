// Read and write concerns of the ledger: nothing is read or acknowledged that could be rolled back.

export const MAJORITY = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const;
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
/** For reads of the entries about one trace; the hint keeps the planner from serving a sort by sequence with the whole chain. */
export const ABOUT_ONE = { ...MAJORITY, hint: 'subject' } as const;
