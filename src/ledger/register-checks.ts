// Checks the registers of a range, entry by entry: each is what the entries before it make of it.
import type { mongo, Types } from 'mongoose';
import { type CommittedState, tryReadCommittedState } from '../domain/record/committed-state.ts';
import { MAJORITY } from '../platform/mongo/concerns.ts';
import { SESSION_INDEX, SPENT_INDEX } from './chains.ts';
import type { Stored } from './entry.ts';
import { toObjectId } from './ledger.model.ts';
import { openSessionCheck } from './sessions/session-check.ts';
import { openSpentCheck } from './spending/spent-check.ts';
import type { Findings, Range } from './verify/report.ts';
import type { StoredChain } from './verify/verify-chain.ts';

/** The chain of an organisation. */
export interface CheckedChain {
  entries: mongo.Collection<Stored>;
  organizationId: Types.ObjectId;
}

/** Adds a break where the register of an entry is wrong. `state` null: it cannot be read. */
export type CheckRegister = (
  entry: Stored,
  state: CommittedState | null,
  findings: Findings,
) => Promise<void>;

const REGISTERS = [
  { name: 'spent', index: SPENT_INDEX.name, open: openSpentCheck },
  { name: 'session', index: SESSION_INDEX.name, open: openSessionCheck },
] as const;

const MEMBERS = {
  sequence: 1,
  kind: 1,
  traceId: 1,
  view: 1,
  createdAt: 1,
  tags: 1,
  spent: 1,
  session: 1,
  'sealed.state': 1,
} as const;

/** Adds a break for each register of the range that is wrong. A register that no entry has costs one read. */
export async function checkRegisters(
  stored: StoredChain,
  range: Range,
  findings: Findings,
): Promise<void> {
  if (stored.columns.kind !== 'trace') return;
  const entries = stored.db.collection<Stored>(stored.chain.collection);
  const chain = { entries, organizationId: toObjectId(stored.organizationId) };
  const present = await selectPresent(chain);
  if (present.length === 0) return;
  const checks = present.map(({ name, open }) => ({ name, check: open(chain) }));
  const names = checks.map(({ name }) => name);
  for await (const entry of findRegistered(chain, range, names)) {
    stored.signal?.throwIfAborted();
    const state = tryReadCommittedState(entry['sealed']);
    for (const { name, check } of checks)
      if ([entry[name] ?? []].flat().length > 0) await check(entry, state, findings);
  }
}

/** The entries of a range that have one of the registers, in order. */
function findRegistered(
  { entries, organizationId }: CheckedChain,
  { first, before }: Range,
  names: readonly string[],
): AsyncIterable<Stored> {
  const sequence = { $gte: first, $lt: before };
  const where = { organizationId, sequence, $or: names.map(hasRegister) } as mongo.Filter<Stored>;
  const options = { ...MAJORITY, hint: 'chain', projection: MEMBERS } as const;
  return entries.find(where, options).sort({ sequence: 1 });
}

const hasRegister = (name: string) => ({ [`${name}.key`]: { $exists: true } });

/** The registers that some entry has. */
async function selectPresent({ entries, organizationId }: CheckedChain) {
  const found = await Promise.all(
    REGISTERS.map(({ name, index: hint }) =>
      entries.findOne(
        { organizationId, ...hasRegister(name) },
        { ...MAJORITY, hint, projection: { _id: 1 } },
      ),
    ),
  );
  return REGISTERS.filter((_register, at) => found[at]);
}
