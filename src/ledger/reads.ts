// Shared options of the ledger's reads.
import { MAJORITY } from '../platform/mongo/concerns.ts';

/** Reads, with a pause, before an entry counts as missing: a new primary may lag behind the majority for a moment. */
export const CONFIRM_READS = 20;
export const CONFIRM_PAUSE_MS = 100;
/** Options for reads about one trace; the hint keeps the planner from reading the whole chain for the sort. */
export const ABOUT_ONE = { ...MAJORITY, hint: 'subject' } as const;
