// Completes checkpoints, named by clock and index or by id, and attests them on the chain (document 3, 3 and 4.2).
import type { z } from 'zod';
import type { UserContext } from '../../platform/context.ts';
import {
  toCheckpointId,
  findCheckpoint,
  completeCheckpoint,
  type Completion,
  findNextBreach,
  refreshClocks,
} from '../../domain/incidents/clock.ts';
import { computeCompletionDigest } from '../../domain/incidents/completion-record.ts';
import { RECIPIENTS } from '../../domain/incidents/cadence.ts';
import { AppError } from '../../errors.ts';
import { AFTER, findOr404 } from '../../platform/mongo/queries.ts';
import { queueAttestation } from '../../evidence/hash-chain/attestations.service.ts';
import type { IncidentDocument, StoredClock } from './incidents.model.ts';
import type { completionInput, IncidentView } from './incidents.schemas.ts';
import { toIncidentView } from './incidents.view.ts';

/** A checkpoint by its clock and index, or by its id. */
export type CheckpointName = { clockId: string; index: number } | { checkpointId: string };

/** An incident after a checkpoint of it was completed. */
export interface CompletedCheckpoint {
  incident: IncidentView;
  checkpoint: { checkpointId: string; regulator: string; label: string };
}

interface Place {
  clock: number;
  index: number;
}

/**
 * Completes a checkpoint in the request's transaction, so that of two concurrent requests one is refused.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` when it is completed already
 */
export async function completeIncidentCheckpoint(
  ctx: UserContext,
  { id, name }: { id: string; name: CheckpointName },
  evidence: Evidence,
): Promise<CompletedCheckpoint> {
  const { platform, tenant, user } = ctx;
  const { incidents } = platform.models;
  const { organizationId, workspaceId } = tenant;
  const where = { _id: id, organizationId, ...(workspaceId !== null && { workspaceId }) };
  const found = await findOr404(incidents.findOne(where).lean<IncidentDocument>());
  const place = findPlace(found.clocks, name);
  requireOpen(found.clocks, place);
  const now = platform.clock.now();
  const completion = { ...evidence, completedAt: now, completedBy: user.userId };
  const $set = buildCompletion(found, place, completion);
  const changed = await findOr404(
    incidents.findOneAndUpdate(where, { $set }, AFTER).lean<IncidentDocument>(),
  );
  await attestCompletion(ctx, changed, place);
  return {
    incident: toIncidentView(changed, now),
    checkpoint: describeCheckpoint(changed.clocks, place),
  };
}

/** Queues a ledger entry that names a digest of the completed record. */
function attestCompletion(
  { platform, tenant: { organizationId, actor }, user }: UserContext,
  { _id, workspaceId, clocks }: IncidentDocument,
  place: Place,
): Promise<void> {
  const { stored, checkpoint } = getCheckpoint(clocks, place);
  const incidentId = _id.toHexString();
  const attested = {
    kind: 'checkpoint',
    organizationId,
    workspaceId: workspaceId.toHexString(),
    actor,
    incidentId,
    regulator: stored.regulator,
    checkpoint: checkpoint.label,
    rulesVersion: stored.ruleVersion,
    digest: computeCompletionDigest(incidentId, stored, checkpoint),
  } as const;
  const values = { completedBy: user.email, notes: checkpoint.notes };
  return queueAttestation(platform, attested, values);
}

type Evidence = z.output<typeof completionInput>;

/** @throws AppError `NOT_FOUND` */
function findPlace(clocks: readonly StoredClock[], name: CheckpointName): Place {
  if ('clockId' in name) {
    const clock = clocks.findIndex(({ _id }) => _id.toHexString() === name.clockId);
    return { clock, index: name.index };
  }
  const place = findCheckpoint(clocks, name.checkpointId);
  if (!place) throw new AppError('NOT_FOUND');
  return place;
}

function getCheckpoint(clocks: readonly StoredClock[], { clock, index }: Place) {
  const stored = clocks[clock];
  const checkpoint = stored?.checkpoints[index];
  if (!stored || !checkpoint) throw new AppError('NOT_FOUND');
  return { stored, checkpoint };
}

/** @throws AppError `INVALID_OPERATION` */
function requireOpen(clocks: readonly StoredClock[], place: Place): void {
  if (getCheckpoint(clocks, place).checkpoint.completedAt !== null)
    throw new AppError('INVALID_OPERATION', 'The checkpoint is completed already');
}

function describeCheckpoint(
  clocks: readonly StoredClock[],
  place: Place,
): CompletedCheckpoint['checkpoint'] {
  const { stored, checkpoint } = getCheckpoint(clocks, place);
  const id = toCheckpointId(clocks, place.clock, place.index);
  return { checkpointId: id, regulator: stored.regulator, label: checkpoint.label };
}

/** Returns the fields that a completion writes. */
function buildCompletion(
  found: IncidentDocument,
  place: Place,
  completion: Completion & { completedAt: Date },
) {
  const { stored } = getCheckpoint(found.clocks, place);
  const clock = completeCheckpoint(stored, place.index, completion);
  const at = completion.completedAt;
  const clocks = refreshClocks(found.clocks.with(place.clock, clock), at);
  return { ...recordReport(found, stored, at), clocks, breachAt: findNextBreach(clocks) };
}

/** Records the completed checkpoint as a report to its regulator; the first report is the submission. */
function recordReport(
  { regulators, reportedTo }: IncidentDocument,
  { regulator }: StoredClock,
  at: Date,
) {
  const recipient = RECIPIENTS[regulator];
  return {
    reportedTo: reportedTo.includes(recipient) ? reportedTo : [...reportedTo, recipient],
    regulators: regulators.map((submission) =>
      submission.code === regulator
        ? { ...submission, submittedAt: submission.submittedAt ?? at }
        : submission,
    ),
  };
}
