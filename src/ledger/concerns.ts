// What every read and write of the ledger asks of a replica set: nothing is seen or answered that can be rolled back.

export const MAJORITY = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const;
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
