// The two chains and what tells them apart: decisions, and the audit log (ledger.md).
import { AUDIT_GENESIS, ZERO_HASH } from '../domain/record/chain.ts';

/** Where a chain lives and how a repeated append is recognised in it. */
export interface Chain {
  collection: string;
  /** What the first entry links to. */
  genesis: string;
  /** The stored member that holds a draft's `once`. */
  idempotencyField: string;
  /** The name of the unique index over `idempotencyField`. */
  onceIndex: string;
  /** Milliseconds after which a `once` may be used again; null: never. */
  idempotencyTtlMs: number | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const DECISIONS: Chain = {
  collection: 'ledger',
  genesis: ZERO_HASH,
  idempotencyField: 'idempotencyKey',
  onceIndex: 'idempotency',
  idempotencyTtlMs: DAY_MS,
};

export const AUDIT: Chain = {
  collection: 'audit_entries',
  genesis: AUDIT_GENESIS,
  idempotencyField: 'auditId',
  onceIndex: 'once',
  idempotencyTtlMs: null,
};

/** One index as the driver and Mongoose take it. */
export interface NamedIndex {
  key: Record<string, 1 | -1>;
  options: { name: string; unique?: true; partialFilterExpression?: Record<string, unknown> };
}

const exists = { $exists: true };

/** The indexes every chain needs; outcomes are told apart by the names of the unique ones. */
export function chainIndexes(chain: Chain): NamedIndex[] {
  const once = chain.idempotencyField;
  return [
    { key: { organizationId: 1, sequence: 1 }, options: { name: 'chain', unique: true } },
    {
      key: { organizationId: 1, [once]: 1 },
      options: { name: chain.onceIndex, unique: true, partialFilterExpression: { [once]: exists } },
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
