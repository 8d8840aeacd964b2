// Executions of approved actions: claimed once, ended by an outcome; each step is an entry of the chain.
import { resolveAgent } from '../../../identity/agents/agent-resolver.service.ts';
import type { Json } from '@assay/json';
import type { Context } from '../../../platform/context.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import { loadTextScrubber } from '../scrubbing/read-scrubbers.service.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { openEffectSecrets } from './effect-secrets.ts';
import { applyMergePatch } from '../../../domain/actions/merge-patch.ts';
import { mayEnd } from '../../../domain/record/trace-state.ts';
import { AppError } from '../../../errors.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import {
  readIdempotencyKey,
  type RequestHeaders,
} from '../../../platform/inputs/idempotency-key.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { Platform } from '../../../platform/platform.ts';
import { noteAsk } from '../review/callers/review-asks.service.ts';
import { loadVerdicts } from '../review/review-verdicts.service.ts';
import { openSubject } from '../review/review-amendment.ts';
import { isUsable } from '../review/review-time.ts';
import type { TraceDocument } from '../traces.model.ts';
import { toNameFilter } from '../trace-names.ts';
import { listEffectKeys } from './declared-effects.ts';
import {
  requireReservedEffects,
  reserveEffects,
  releaseEffects,
  settleEffects,
  type EffectClaim,
  ReservationLost,
} from './effects.service.ts';
import { requireClaimable, requireUnpaused } from './claim-checks.ts';
import {
  buildClaimEntry,
  buildOutcomeEntry,
  type ExecutionOutcome,
} from './execution-amendment.ts';
import type { ClaimInput, ExecutionView } from './executions.schemas.ts';
import {
  isRecordedOutcome,
  loadExecution,
  requireExecution,
  requireRepeatedExecution,
} from './execution-reader.ts';
import { selectResultLabels } from '../sessions/result-labels.service.ts';
import { listSettled } from '../limits/settled-spending.ts';
import { computeClaimDigest, type KeyedClaim } from './repeated-claims.ts';

type Found = Pick<TraceDocument, 'traceId'>;

export interface ClaimAnswer {
  execution: ExecutionView;
  /** It was claimed by an earlier request, which this one repeats. */
  isReplay: boolean;
}

/** Members that decide whether a decision may be claimed. */
const CLAIMED =
  'organizationId workspaceId traceId agentId sequence verdict status review execution answer sessionId createdAt changed.outputDecision sealed.submitted sealed.facts sealed.adapter sealed.principal content generation erasedAt';

/** A thousand claims of one action wait for each other: all but one end without an append. */
const openClaims = perInstance(() => new KeyedMutex());

/**
 * Claims an approved action for its one execution: of all claims, on all instances, one succeeds. A claim with a
 * key may be repeated by its holder, and is answered once more.
 * @throws AppError `NOT_FOUND`, `DECISION_OBSERVED`, `APPROVAL_PENDING`, `APPROVAL_REJECTED`, `APPROVAL_EXPIRED`,
 * `APPROVAL_MISMATCH`, `APPROVAL_USED`, `EFFECT_RESERVED`, `EFFECT_DONE`, `DECISION_ERASED`, `INVALID_OPERATION`
 */
export async function claimExecution(
  ctx: Context,
  id: string,
  { headers = {}, ...body }: ClaimInput & { headers?: RequestHeaders },
): Promise<ClaimAnswer> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const claim = { ...body, idempotencyKey: readIdempotencyKey(headers) };
  return openClaims(platform).runExclusive(`${organizationId}/${id}`, async () => {
    const { traceId, keys, isUsed } = await precheckClaim(ctx, id, claim);
    if (isUsed) return answerAgain(ctx, traceId, claim);
    const reserved = { organizationId, traceId, executionId: platform.generateId() };
    await reserveEffects(platform, reserved, keys);
    try {
      await appendClaim(ctx, { ...reserved, keys }, claim);
    } catch (error) {
      // After a fault the entry may stand in the chain, or come to; then the job settles the reservation.
      if (!isRefusal(error)) throw error;
      await releaseEffects(platform, reserved);
      // Another instance was faster: it may have been this claim, on another connection.
      if (error.code === 'APPROVAL_USED') return answerAgain(ctx, traceId, claim);
      throw error;
    }
    return {
      execution: await requireExecution(platform, organizationId, traceId),
      isReplay: false,
    };
  });
}

async function answerAgain(ctx: Context, traceId: string, claim: KeyedClaim): Promise<ClaimAnswer> {
  return { execution: await requireRepeatedExecution(ctx, traceId, claim), isReplay: true };
}

/** Records how an execution ended. @throws AppError `NOT_FOUND`, `EXECUTION_ENDED` */
export async function endExecution(
  ctx: Context,
  names: { id: string; executionId: string },
  said: ExecutionOutcome,
): Promise<ExecutionView> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const { traceId } = await findExecution(ctx, names);
  await recordOutcome(ctx, traceId, said);
  const { executionId } = names;
  await settleEffects(platform, { organizationId, traceId, executionId }, said.outcome);
  return requireExecution(platform, organizationId, traceId);
}

/** The executions of a decision: none or one. @throws AppError `NOT_FOUND` */
export async function listExecutions(
  { platform, tenant }: Context,
  id: string,
): Promise<ExecutionView[]> {
  const { traceId } = await findDecision(platform, toVisible(tenant, id));
  const execution = await loadExecution(platform, tenant.organizationId, traceId);
  return execution ? [execution] : [];
}

async function findDecision(platform: Platform, where: object): Promise<Found> {
  return findOr404(platform.models.traces.findOne(where, 'traceId').lean<Found>());
}

const toVisible = (tenant: Tenant, id: string) => ({
  ...createVisibilityFilter(tenant),
  organizationId: tenant.organizationId,
  ...toNameFilter(id),
});

/** The edits of an approval; null: it has none. @throws AppError `DECISION_ERASED` */
async function loadEdits(
  platform: Platform,
  { organizationId, traceId, review }: TraceDocument,
): Promise<Json> {
  if (!review?.edited) return null;
  const found = await loadVerdicts(platform, organizationId.toHexString(), [traceId]);
  const { edits = null } = found.get(traceId) ?? {};
  if (edits === null) throw new AppError('DECISION_ERASED', 'The edits were erased');
  return edits;
}

/** Refuses most claims with a single read; the entry itself decides again. Returns the effects to reserve, too. */
async function precheckClaim(
  { platform, tenant }: Context,
  id: string,
  claim: KeyedClaim,
): Promise<{ traceId: string; keys: string[]; isUsed: boolean }> {
  const query = platform.models.traces
    .findOne(toVisible(tenant, id), CLAIMED)
    .lean<TraceDocument>();
  const trace = await platform.contents.decryptOne(tenant.organizationId, await findOr404(query));
  await noteAsk(platform, tenant.organizationId, trace);
  const edits = await requireClaim(platform, trace, claim);
  const edited = edits === null ? null : applyMergePatch(claim.action ?? null, edits);
  const secret = openEffectSecrets(platform)(tenant.organizationId);
  const isUsed = trace.execution?._id !== undefined;
  if (!isUsed)
    requireUnpaused(
      await resolveAgent(platform, { organizationId: tenant.organizationId }, trace.agentId),
    );
  return { traceId: trace.traceId, keys: listEffectKeys(trace, { edited, secret }), isUsed };
}

/** Erased decisions are found as well: what became of their action may still be said. */
async function findExecution(
  { platform, tenant }: Context,
  { id, executionId }: { id: string; executionId: string },
): Promise<Found> {
  const { organizationId } = tenant;
  const { deletedAt: _, ...visible } = createVisibilityFilter(tenant);
  const execution = { 'execution._id': toObjectId(executionId) };
  return findDecision(platform, { ...visible, organizationId, ...toNameFilter(id), ...execution });
}

/** Removes personal data from what is said about an execution. */
async function scrubOutcome(
  platform: Platform,
  organizationId: string,
  said: ExecutionOutcome,
): Promise<ExecutionOutcome> {
  const { summary } = said;
  if (summary === undefined) return said;
  const scrubber = await loadTextScrubber(platform, organizationId);
  return { ...said, summary: scrubber.scrubString(summary).text };
}

/** Appends an outcome, or nothing when the same one is recorded. @throws AppError `EXECUTION_ENDED` */
async function recordOutcome(
  { platform, tenant }: Context,
  traceId: string,
  said: ExecutionOutcome,
): Promise<void> {
  const { organizationId } = tenant;
  const scrubbed = await scrubOutcome(platform, organizationId, said);
  await platform.ledger.amendments.append(organizationId, traceId, async (about) => {
    const { execution, erasedAt } = about.trace as TraceDocument;
    if (!execution) throw new AppError('NOT_FOUND');
    // Nothing is kept of a decision that was erased: only how its execution ended.
    const kept = erasedAt ? { outcome: scrubbed.outcome } : scrubbed;
    if (mayEnd(execution.state, said.outcome)) {
      const settled = await listSettled(platform, about.trace as TraceDocument, said);
      const labels = await selectResultLabels(platform, about.trace as TraceDocument, said);
      return buildOutcomeEntry(tenant, about, {
        said: kept,
        settled,
        labels,
        random16: platform.draw16Bytes,
      });
    }
    if (await isRecordedOutcome(platform, { organizationId, traceId }, kept)) return null;
    throw new AppError('EXECUTION_ENDED');
  });
}

/** Checks a claim against the decision as it stands; returns the edits of its approval. */
async function requireClaim(
  platform: Platform,
  trace: TraceDocument,
  claim: KeyedClaim,
): Promise<Json> {
  const edits = await loadEdits(platform, trace);
  requireClaimable(trace, claim, { edits, isUsable: await isUsable(platform, trace) });
  return edits;
}

async function appendClaim(
  { platform, tenant }: Context,
  reserved: EffectClaim & { keys: string[] },
  claim: KeyedClaim,
): Promise<void> {
  const { organizationId, traceId, executionId, keys } = reserved;
  const decide = async (about: Subject<TraceDocument>): Promise<Amendment> => {
    if (about.trace.deletedAt) throw new AppError('NOT_FOUND');
    const opened = await openSubject(platform.contents, about);
    await requireClaim(platform, opened.trace, claim);
    if (opened.trace.execution?._id) throw new AppError('APPROVAL_USED');
    await requireReservedEffects(platform, reserved, keys);
    const { leaseSeconds, editedActionDigest } = claim;
    const leaseUntil = new Date(platform.clock.now().getTime() + leaseSeconds * 1000);
    const request = computeClaimDigest(claim);
    const claimed = { executionId, leaseUntil, editedActionDigest, effects: keys, request };
    return buildClaimEntry(tenant, opened, { claimed, random16: platform.draw16Bytes });
  };
  await platform.ledger.amendments.append(organizationId, traceId, decide);
}

/** Whether it is certain that nothing was recorded. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.http < 500 || error instanceof ReservationLost);
