// Checks that every sum is what the entries before it add up to, and that no entry passed a limit.
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import {
  addSpending,
  isAbove,
  isSpending,
  listBinding,
  listReservations,
  type DecisionLimit,
  type WindowSlot,
  sumSlots,
} from '../../domain/budgets/spending.ts';
import { type CommittedState, tryReadCommittedState } from '../../domain/record/committed-state.ts';
import { listAdded } from './added-sums.ts';
import { limitEntries } from '../../domain/entry-limit.ts';
import { OBSERVED } from '../../domain/otlp/observed.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import type { CheckedChain, CheckRegister } from '../register-checks.ts';
import { type CheckUse, openGrantCheck } from './grant-check.ts';
import type { Findings } from '../verify/report.ts';
import { readSums } from './spent-reader.ts';

/** Sums that are kept in memory; others are read again. */
const SUMS_MAX = 10_000;
type Judged = Pick<Stored, 'kind' | 'view'> & { tags?: readonly string[] };

/** Whether an entry changes the sums that its committed values name, and reserves what it has to. */
export function isSpendingAsCommitted(entry: Stored): boolean {
  const { spent = [] } = entry;
  const { state: stored } = getCommittedValues(entry);
  // Most entries have neither (row verify).
  if (!stored && spent.length === 0 && entry.kind !== 'grant') return true;
  const state = tryReadCommittedState(entry['sealed']);
  if (!state) return false;
  const spends = state.spends ?? [];
  const added = listAdded(entry, state);
  const isNamed = isDeepStrictEqual(
    added.map(({ key }) => key),
    spent.map(({ key }) => key),
  );
  if (!isNamed || !added.every(isSpending)) return false;
  const reserved = state.limits ? listReservations(state.limits) : null;
  return !reserved || !isReserving(entry) || isDeepStrictEqual(spends, reserved);
}

/** Whether what an entry lets an agent do counts; so does what was done before it was reported. */
function isReserving({ kind, view, tags }: Judged): boolean {
  const { status, decision } = JSON.parse(view) as { status?: string; decision?: string };
  if (kind === 'trace') return status === 'approved' || tags?.includes(OBSERVED) === true;
  return kind === 'review' && decision === 'approve';
}

/** The limits that an entry must not pass. */
function listCaps(entry: Judged, { limits = [] }: CommittedState): DecisionLimit[] {
  if (!isReserving(entry) || entry.tags?.includes(OBSERVED)) return [];
  const { kind, actor } = JSON.parse(entry.view) as { kind: string; actor: { kind: string } };
  const isPersons = kind === 'review' && actor.kind !== 'system';
  return listBinding(limits, isPersons ? 'person' : 'policy');
}

/** Finds sums that are not what the entries add up to, and entries that pass a limit. */
export function openSpentCheck(chain: CheckedChain): CheckRegister {
  const known: Known = {
    ...chain,
    sums: new LRUCache(limitEntries(SUMS_MAX)),
    checkUse: openGrantCheck(chain),
  };
  return (entry, state, findings) => checkEntry(entry, state, { known, findings });
}

interface Known extends CheckedChain {
  sums: LRUCache<string, readonly WindowSlot[]>;
  checkUse: CheckUse;
}

async function checkEntry(
  entry: Stored,
  state: CommittedState | null,
  { known, findings }: { known: Known; findings: Findings },
): Promise<void> {
  const { sequence, createdAt, spent = [] } = entry;
  const added = state ? listAdded(entry, state) : [];
  if (!state || !added.every(isSpending)) return findings.addMismatch(sequence, 'spent');
  for (const one of added) {
    const slots = addSpending(await readBefore(one.key, sequence, known), one, createdAt);
    const said = spent.find(({ key }) => key === one.key)?.slots;
    if (!isDeepStrictEqual(slots, said)) findings.addMismatch(sequence, 'spent');
    known.sums.set(one.key, slots);
  }
  await known.checkUse(entry, state, { sums: known.sums, findings });
  const passed = findPassed(listCaps(entry as Judged, state), known);
  if (!passed) return;
  const what = `it passes the limit of the policy ${passed.policy}`;
  findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
}

const findPassed = (caps: readonly DecisionLimit[], { sums }: Known): DecisionLimit | undefined =>
  caps.find(({ key, most }) => isAbove(sumSlots(sums.get(key) ?? []).amount, most));

/** The sum before an entry. */
async function readBefore(
  key: string,
  sequence: number,
  { entries, organizationId, sums }: Known,
): Promise<readonly WindowSlot[]> {
  const known = sums.get(key);
  if (known) return known;
  const found = await readSums(entries, { organizationId, head: sequence - 1 }, [key]);
  return found?.get(key)?.slots ?? [];
}
