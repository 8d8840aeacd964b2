// What every read and write of the ledger asks of a replica set: nothing is seen or answered that can be rolled back.

export const MAJORITY = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const;
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
/** Reads of the entries about one trace; the index is named, or a sort by sequence would tempt the planner to read the whole chain. */
export const ABOUT_ONE = { ...MAJORITY, hint: 'subject' } as const;
