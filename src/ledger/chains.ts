// Definitions of the two chains, decisions and audit log (ledger.md).
import { AUDIT_GENESIS, ZERO_HASH } from '../domain/record/chain.ts';

/** Query range of valid sequences. A row with another sequence is in no chain; only verification looks for it. */
export const SEQUENCES = { $gte: 1, $lt: 2 ** 53 } as const;

/** Returns whether a stored sequence is valid: a query range also matches fractions, lists and decimals. */
export function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Rows to read in search of the newest entry: some may have an invalid sequence. */
export const NEWEST_MAX = 16;

/** Finds the first row with a valid sequence; null when there is none. */
export function findFirstInChain<T extends { sequence: unknown }>(rows: readonly T[]): T | null {
  return rows.find(({ sequence }) => isSequence(sequence)) ?? null;
}

/** Paths of a decision that waits for a person. */
export interface HoldPaths {
  status: string;
  /** Its status while it waits. */
  open: string;
  endedAt: string;
  /** Kinds of the entries that end it. */
  endedBy: readonly string[];
}

/** The storage of one chain, and how replayed appends are recognised in it. */
export interface Chain {
  collection: string;
  /** The hash that the first entry links to. */
  genesis: string;
  /** The stored member that holds a draft's idempotency key. */
  idempotencyField: string;
  /** The name of the unique index over `idempotencyField`. */
  idempotencyIndex: string;
  /** Milliseconds after which an idempotency key may be used again; null: never. */
  idempotencyTtlMs: number | null;
  /** Where an entry says that it is held, and when that ended: its key lives until as long after the end. */
  hold: HoldPaths | null;
  /** The members that answer a replay, by dotted path; only these are read and kept in memory for one. */
  replayed: readonly string[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const PLACE = ['organizationId', 'traceId', 'sequence', 'chainHash', 'createdAt'];
const HOLD: HoldPaths = {
  status: 'review.status',
  open: 'pending',
  endedAt: 'review.decidedAt',
  endedBy: ['review', 'erasure'],
};
const ANSWER = [
  'agentId',
  'workspaceId',
  'schemaVersion',
  'verdict',
  'confidenceScore',
  'tags',
  'answer',
  'sessionId',
  'deletedAt',
  'review._id',
  'review.expiresAt',
  HOLD.status,
  HOLD.endedAt,
];
/** The values that an answer is built from. */
const ANSWERED = [
  'sealed.submitted',
  'sealed.outputDecision',
  'sealed.principal',
  'content',
  'generation',
];

export const DECISIONS: Chain = {
  collection: 'ledger',
  genesis: ZERO_HASH,
  idempotencyField: 'idempotencyKey',
  idempotencyIndex: 'idempotency',
  idempotencyTtlMs: DAY_MS,
  hold: HOLD,
  replayed: [...PLACE, ...ANSWER, ...ANSWERED, 'idempotencyKey'],
};

export const AUDIT: Chain = {
  collection: 'audit_entries',
  genesis: AUDIT_GENESIS,
  idempotencyField: 'auditId',
  idempotencyIndex: 'once',
  idempotencyTtlMs: null,
  hold: null,
  replayed: [...PLACE, 'auditId'],
};

/** One index as the driver and Mongoose take it. */
export interface NamedIndex {
  key: Record<string, 1 | -1>;
  options: { name: string; unique?: true; partialFilterExpression?: Record<string, unknown> };
}

const exists = { $exists: true };

/** Lists the indexes of a chain. The names of the unique ones MUST NOT change: they identify conflicts. */
export function listChainIndexes({ idempotencyField, idempotencyIndex }: Chain): NamedIndex[] {
  return [
    { key: { organizationId: 1, sequence: 1 }, options: { name: 'chain', unique: true } },
    {
      key: { organizationId: 1, [idempotencyField]: 1 },
      options: {
        name: idempotencyIndex,
        unique: true,
        partialFilterExpression: { [idempotencyField]: exists },
      },
    },
    {
      key: { organizationId: 1, traceId: 1, after: 1 },
      options: { name: 'following', unique: true, partialFilterExpression: { after: exists } },
    },
    {
      key: { organizationId: 1, traceId: 1, sequence: 1 },
      options: { name: 'subject', partialFilterExpression: { traceId: { $gt: '' } } },
    },
  ];
}

/** The index of entries of a session. */
export const SESSION_INDEX = {
  key: { organizationId: 1, 'session.key': 1, sequence: -1 },
  name: 'session-register',
  partialFilterExpression: { 'session.key': { $exists: true } },
} as const;

/** The index of entries with sums. */
export const SPENT_INDEX = {
  key: { organizationId: 1, 'spent.key': 1, sequence: -1 },
  name: 'spent',
  partialFilterExpression: { 'spent.key': { $exists: true } },
} as const;

/** The index of decisions that several people have to approve. */
export const APPROVALS_INDEX = {
  key: { organizationId: 1, 'review.approvals.inOrder': 1, sequence: 1 },
  name: 'approvals',
  partialFilterExpression: { 'review.approvals': { $exists: true } },
} as const;
