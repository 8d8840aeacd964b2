// The record of a completed checkpoint, whose digest an entry of the ledger names (formats.md, section 11).
import { createHash } from 'node:crypto';
import { canonicalize } from '@assay/json';
import type { Checkpoint, IncidentClock } from './clock.ts';

/** Hex SHA-256 of the canonical record; times have the format of the API. */
export function computeCompletionDigest(
  incidentId: string,
  { regulator, articleRef, ruleVersion, clockStartedAt }: IncidentClock,
  checkpoint: Checkpoint,
): string {
  const { label, deadlineAt, completedAt, completedBy, ...evidence } = checkpoint;
  const { evidenceTraceId, evidenceUrl, notes } = evidence;
  const record = {
    incidentId,
    regulator,
    articleRef,
    ruleVersion,
    clockStartedAt: clockStartedAt.toISOString(),
    label,
    deadlineAt: deadlineAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
    completedBy,
    evidenceTraceId,
    evidenceUrl,
    notes,
  };
  return createHash('sha256').update(canonicalize(record)).digest('hex');
}
