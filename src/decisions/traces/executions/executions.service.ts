// Executions of approved actions: claimed once, ended by an outcome; each step is an entry of the chain.
import type { Json } from '@assay/json';
import { loadTextScrubber } from '../scrubbing/read-scrubbers.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { createEffectSecrets } from '../../../domain/actions/effect-keys.ts';
import { applyMergePatch } from '../../../domain/actions/merge-patch.ts';
import { mayEnd } from '../../../domain/record/trace-state.ts';
import { AppError } from '../../../errors.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import {
  readIdempotencyKey,
  type RequestHeaders,
} from '../../../platform/inputs/idempotency-key.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { AgentResolver } from '../../../identity/agents/agent-resolver.service.ts';
import { noteAsk } from '../review/callers/review-asks.service.ts';
import { loadVerdicts } from '../review/review-verdicts.service.ts';
import { openSubject } from '../review/review-amendment.ts';
import { isUsable } from '../review/review-time.ts';
import type { TraceDocument } from '../traces.model.ts';
import { toNameFilter } from '../trace-names.ts';
import { listEffectKeys } from './declared-effects.ts';
import { type EffectClaim, type EffectService, ReservationLost } from './effects.service.ts';
import { requireClaimable, requireUnpaused } from './claim-checks.ts';
import {
  buildClaimEntry,
  buildOutcomeEntry,
  type ExecutionOutcome,
} from './execution-amendment.ts';
import type { ClaimInput, ExecutionView } from './executions.schemas.ts';
import { createExecutionReader } from './execution-reader.ts';
import { computeClaimDigest, type KeyedClaim } from './repeated-claims.ts';

interface Deps {
  effects: EffectService;
  agents: Pick<AgentResolver, 'resolve'>;
}

type Found = Pick<TraceDocument, 'traceId'>;

export interface ClaimAnswer {
  execution: ExecutionView;
  /** It was claimed by an earlier request, which this one repeats. */
  isReplay: boolean;
}

/** Members that decide whether a decision may be claimed. */
const CLAIMED =
  'organizationId workspaceId traceId agentId sequence verdict status review execution answer sessionId createdAt changed.outputDecision sealed.submitted sealed.facts sealed.adapter sealed.principal content generation erasedAt';

export function createExecutionService(platform: Platform, { effects, agents }: Deps) {
  const executions = createExecutionReader(platform);
  const { models, contents, ledger, clock, generateId, draw16Bytes: random16 } = platform;
  /** A thousand claims of one action wait for each other: all but one end without an append. */
  const claims = new KeyedMutex();
  const loadSecret = createEffectSecrets(platform.secrets.ledgerKey);

  async function findDecision(where: object): Promise<Found> {
    return findOr404(models.traces.findOne(where, 'traceId').lean<Found>());
  }

  const toVisible = (tenant: Tenant, id: string) => ({
    ...createVisibilityFilter(tenant),
    organizationId: tenant.organizationId,
    ...toNameFilter(id),
  });

  /** The edits of an approval; null: it has none. @throws AppError `DECISION_ERASED` */
  async function loadEdits({ organizationId, traceId, review }: TraceDocument): Promise<Json> {
    if (!review?.edited) return null;
    const found = await loadVerdicts(platform, organizationId.toHexString(), [traceId]);
    const { edits = null } = found.get(traceId) ?? {};
    if (edits === null) throw new AppError('DECISION_ERASED', 'The edits were erased');
    return edits;
  }

  /** Refuses most claims with a single read; the entry itself decides again. Returns the effects to reserve, too. */
  async function precheckClaim(
    tenant: Tenant,
    id: string,
    claim: KeyedClaim,
  ): Promise<{ traceId: string; keys: string[]; isUsed: boolean }> {
    const query = models.traces.findOne(toVisible(tenant, id), CLAIMED).lean<TraceDocument>();
    const trace = await contents.decryptOne(tenant.organizationId, await findOr404(query));
    await noteAsk(platform, tenant.organizationId, trace);
    const edits = await loadEdits(trace);
    requireClaimable(trace, claim, { edits, isUsable: await isUsable({ ledger, clock }, trace) });
    const edited = edits === null ? null : applyMergePatch(claim.action ?? null, edits);
    const secret = loadSecret(tenant.organizationId);
    const isUsed = trace.execution?._id !== undefined;
    if (!isUsed) requireUnpaused(await agents.resolve(tenant.organizationId, trace.agentId));
    return { traceId: trace.traceId, keys: listEffectKeys(trace, { edited, secret }), isUsed };
  }

  /** Erased decisions are found as well: what became of their action may still be said. */
  async function findExecution(
    tenant: Tenant,
    { id, executionId }: { id: string; executionId: string },
  ): Promise<Found> {
    const { organizationId } = tenant;
    const { deletedAt: _, ...visible } = createVisibilityFilter(tenant);
    const execution = { 'execution._id': toObjectId(executionId) };
    return findDecision({ ...visible, organizationId, ...toNameFilter(id), ...execution });
  }

  /** Removes personal data from what is said about an execution. */
  async function scrubOutcome(
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
    tenant: Tenant,
    traceId: string,
    said: ExecutionOutcome,
  ): Promise<void> {
    const { organizationId } = tenant;
    const scrubbed = await scrubOutcome(organizationId, said);
    await ledger.amendments.append(organizationId, traceId, async (about) => {
      const { execution, erasedAt } = about.trace as TraceDocument;
      if (!execution) throw new AppError('NOT_FOUND');
      // Nothing is kept of a decision that was erased: only how its execution ended.
      const kept = erasedAt ? { outcome: scrubbed.outcome } : scrubbed;
      if (mayEnd(execution.state, said.outcome))
        return buildOutcomeEntry(tenant, about, { said: kept, random16 });
      if (await executions.isRecorded(organizationId, traceId, kept)) return null;
      throw new AppError('EXECUTION_ENDED');
    });
  }

  async function appendClaim(
    tenant: Tenant,
    reserved: EffectClaim & { keys: string[] },
    claim: KeyedClaim,
  ): Promise<void> {
    const { organizationId, traceId, executionId, keys } = reserved;
    const decide = async (about: Subject<TraceDocument>): Promise<Amendment> => {
      if (about.trace.deletedAt) throw new AppError('NOT_FOUND');
      const opened = await openSubject(contents, about);
      const edits = await loadEdits(opened.trace);
      const inTime = await isUsable({ ledger, clock }, opened.trace);
      requireClaimable(opened.trace, claim, { edits, isUsable: inTime });
      if (opened.trace.execution?._id) throw new AppError('APPROVAL_USED');
      await effects.requireReserved(reserved, keys);
      const { leaseSeconds, editedActionDigest } = claim;
      const leaseUntil = new Date(clock.now().getTime() + leaseSeconds * 1000);
      const request = computeClaimDigest(claim);
      const claimed = { executionId, leaseUntil, editedActionDigest, effects: keys, request };
      return buildClaimEntry(tenant, opened, { claimed, random16 });
    };
    await ledger.amendments.append(organizationId, traceId, decide);
  }

  return {
    /**
     * Claims an approved action for its one execution: of all claims, on all instances, one succeeds. A claim with a
     * key may be repeated by its holder, and is answered once more.
     * @throws AppError `NOT_FOUND`, `DECISION_OBSERVED`, `APPROVAL_PENDING`, `APPROVAL_REJECTED`, `APPROVAL_EXPIRED`,
     * `APPROVAL_MISMATCH`, `APPROVAL_USED`, `EFFECT_RESERVED`, `EFFECT_DONE`, `DECISION_ERASED`, `INVALID_OPERATION`
     */
    async claim(
      tenant: Tenant,
      id: string,
      { headers = {}, ...body }: ClaimInput & { headers?: RequestHeaders },
    ): Promise<ClaimAnswer> {
      const { organizationId } = tenant;
      const claim = { ...body, idempotencyKey: readIdempotencyKey(headers) };
      return claims.runExclusive(`${organizationId}/${id}`, async () => {
        const { traceId, keys, isUsed } = await precheckClaim(tenant, id, claim);
        const answerAgain = async (): Promise<ClaimAnswer> => ({
          execution: await executions.requireRepeated(tenant, traceId, claim),
          isReplay: true,
        });
        if (isUsed) return answerAgain();
        const reserved = { organizationId, traceId, executionId: generateId() };
        await effects.reserve(reserved, keys);
        try {
          await appendClaim(tenant, { ...reserved, keys }, claim);
        } catch (error) {
          // After a fault the entry may stand in the chain, or come to; then the job settles the reservation.
          if (!isRefusal(error)) throw error;
          await effects.release(reserved);
          // Another instance was faster: it may have been this claim, on another connection.
          if (error.code === 'APPROVAL_USED') return answerAgain();
          throw error;
        }
        return {
          execution: await executions.requireExecution(organizationId, traceId),
          isReplay: false,
        };
      });
    },

    /** Records how an execution ended. @throws AppError `NOT_FOUND`, `EXECUTION_ENDED` */
    async endExecution(
      tenant: Tenant,
      names: { id: string; executionId: string },
      said: ExecutionOutcome,
    ): Promise<ExecutionView> {
      const { organizationId } = tenant;
      const { traceId } = await findExecution(tenant, names);
      await recordOutcome(tenant, traceId, said);
      const { executionId } = names;
      await effects.settle({ organizationId, traceId, executionId }, said.outcome);
      return executions.requireExecution(organizationId, traceId);
    },

    /** The executions of a decision: none or one. @throws AppError `NOT_FOUND` */
    async listExecutions(tenant: Tenant, id: string): Promise<ExecutionView[]> {
      const { traceId } = await findDecision(toVisible(tenant, id));
      const execution = await executions.loadExecution(tenant.organizationId, traceId);
      return execution ? [execution] : [];
    },
  };
}
/** Whether it is certain that nothing was recorded. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.http < 500 || error instanceof ReservationLost);

export type ExecutionService = ReturnType<typeof createExecutionService>;
