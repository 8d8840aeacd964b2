// Counts the documents that a sweep leaves in each collection, and compares them with its successful requests.
import type { mongo } from 'mongoose';
import { ATTESTATION_KINDS } from '../../../src/domain/record/payload-members.ts';

export type Counts = Readonly<Record<string, number>>;

/** Collections written asynchronously or only for some values: managers are notified of a weakened control. */
const DERIVED =
  /^(agent_activity|policy_statistics|policy_notices|policy_sets|cpi_days|decision_counts|decision_patterns|trace_vectors|word_segments|facet_segments|hash_segments|logs|log_.*|witness_states|alert_rule_states|webhook_statistics|cursors|consumers|parked|outbox|heads_.*|leases|jobs|maintenance|migrations|audit_rows|system\..*|notifications|notice_.*|review_links)$/;
/** Collections of the audit log, which also records refusals of authenticated callers. */
const AUDIT_LOG = 'audit_entries';

/** Counts all collections by one command, from the database's own statistics. */
export async function countDocuments(db: mongo.Db): Promise<Counts> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name);
  const [first = '', ...others] = names.filter((name) => !DERIVED.test(name)).sort();
  const count = { $collStats: { count: {} } };
  const found = db
    .collection(first)
    .aggregate<{ ns: string; count: number }>([
      count,
      ...others.map((coll) => ({ $unionWith: { coll, pipeline: [count] } })),
    ]);
  const rows = (await found.toArray()).map(({ ns, ...row }) => {
    return { name: ns.slice(ns.indexOf('.') + 1), count: row.count };
  });
  // Attestations are appended by the outbox, at its own time too.
  const decided = { kind: { $nin: [...ATTESTATION_KINDS] } };
  const ledger = await db.collection('ledger').countDocuments(decided);
  return Object.fromEntries([
    ...rows.map(({ name, count: all }) => [name, all] as const),
    ['ledger', ledger] as const,
  ]);
}

export const computeGrowth = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]),
  );

/** Collections that changed by something else than whole successes; `once` is the growth by one. */
export function findHalfWritten(once: Counts, all: Counts, served: number): string[] {
  return Object.entries(all).flatMap(([name, growth]) => {
    const whole = (once[name] ?? 0) * served;
    const fits =
      name === AUDIT_LOG
        ? growth >= whole
        : growth >= Math.min(0, whole) && growth <= Math.max(0, whole);
    return fits ? [] : [`${name}: ${growth} for ${served} successes of ${once[name] ?? 0}`];
  });
}
