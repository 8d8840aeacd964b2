// Read and write concerns of the ledger: nothing is read or acknowledged that could be rolled back.

export const MAJORITY = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const;
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
/** A member that has just become primary may lag behind the majority for a moment: what it lacks is read so often, with a pause. */
export const CONFIRM_READS = 20;
export const CONFIRM_PAUSE_MS = 100;
/** For reads of the entries about one trace; the hint keeps the planner from serving a sort by sequence with the whole chain. */
export const ABOUT_ONE = { ...MAJORITY, hint: 'subject' } as const;
