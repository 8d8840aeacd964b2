// Large decisions: a thread parses, checks, judges and drafts them, and organisations take turns there.
import type { Json } from '@assay/json';
import type { PolicySet, ToolCatalogue } from '@assay/policy';
import { AppError } from '../../../errors.ts';
import type { Draft } from '../../../ledger/entry.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import { restoreFailure } from '../../../platform/threads/failures.ts';
import type { RequestOrigin } from '../../../platform/threads/thread-pool.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { JudgeInput } from './judge.ts';
import {
  type BatchInspectionRequest,
  type BodyAnswer,
  type BodyRequest,
  type DecisionRequest,
  deriveItemId,
  type InspectedItem,
  type InspectionRequest,
  type InspectedMembers,
} from './body-judge.ts';

/** The members of an inspected body that ingestion itself needs; the others stay in its bytes. */
export class InspectedBody {
  readonly agentId: string | undefined;
  readonly sessionId: string | undefined;
  readonly parentTraceId: string | undefined;
  readonly actor: InspectedMembers['actor'];
  readonly schemaVersion: string | undefined;
  readonly sourceTraces: readonly string[];
  /** Names it in the thread, which keeps it for its judgement. */
  readonly bodyId: string;

  constructor(members: InspectedMembers, bodyId: string) {
    const { agentId, sessionId, parentTraceId, actor, schemaVersion, sourceTraces } = members;
    this.bodyId = bodyId;
    this.agentId = agentId;
    this.sessionId = sessionId;
    this.parentTraceId = parentTraceId;
    this.actor = actor;
    this.schemaVersion = schemaVersion;
    this.sourceTraces = sourceTraces;
  }
}

/** An item of a batch as the thread has inspected it. */
export interface RestoredItem {
  idempotencyKey: string | undefined;
  rawBody: Buffer;
  sent: Json | undefined;
  body: InspectedBody | AppError;
}

/** A body as the thread has inspected it. `sent`: as much of it as identifies its agent, also when it is refused. */
export interface InspectedLarge {
  sent: Json | undefined;
  body: InspectedBody | AppError;
}

export interface LargeBodies {
  /**
   * Parses a body and checks it by its schema and the limits of its schema version.
   * @throws AppError `SERVICE_UNAVAILABLE` for too many large bodies or one that takes too long
   */
  inspect(
    request: Omit<InspectionRequest, 'kind' | 'bodyId'>,
    origin: RequestOrigin,
  ): Promise<InspectedLarge>;
  /**
   * Parses a batch and checks each of its decisions likewise.
   * @throws AppError `SERVICE_UNAVAILABLE` like `inspect`
   */
  inspectBatch(
    request: Omit<BatchInspectionRequest, 'kind' | 'bodyId'>,
    origin: RequestOrigin,
  ): Promise<{ decisions: RestoredItem[] } | AppError>;
  /**
   * Judges and drafts an inspected body. The draft has neither idempotency key nor monthly limit.
   * @throws AppError `SERVICE_UNAVAILABLE` like `inspect`
   */
  draft(
    request: Omit<DecisionRequest, 'kind' | 'ruleSet' | 'rules'>,
    rules: Pick<JudgeInput, 'policies' | 'catalogue'>,
    origin: RequestOrigin,
  ): Promise<Draft<TraceDocument>>;
}

export function createLargeBodies({ threads }: Pick<Platform, 'threads'>): LargeBodies {
  const pool = threads.open<BodyRequest, BodyAnswer>('ingestion');
  let bodies = 0;
  const createBodyId = (): string => String((bodies += 1));

  return {
    async inspect(request, origin) {
      const bodyId = createBodyId();
      const answer = await pool.sendInTurn({ ...request, bodyId, kind: 'inspection' }, origin);
      if (answer.kind === 'accepted')
        return { sent: answer.sent, body: new InspectedBody(answer.members, bodyId) };
      if (answer.kind !== 'refused') throw new AppError('INTERNAL_ERROR');
      return { sent: answer.sent, body: restoreFailure(answer.failure) };
    },

    async inspectBatch(request, origin) {
      const bodyId = createBodyId();
      const answer = await pool.sendInTurn({ ...request, bodyId, kind: 'batchInspection' }, origin);
      if (answer.kind === 'inspectedBatch') {
        return {
          decisions: answer.items.map((item, index) =>
            restoreItem(item, deriveItemId(bodyId, index)),
          ),
        };
      }
      if (answer.kind !== 'refused') throw new AppError('INTERNAL_ERROR');
      return restoreFailure(answer.failure);
    },

    async draft(request, { policies, catalogue }, origin) {
      const rules = { policies: policies.definitions, tools: catalogue?.lists ?? null };
      const ruleSet = toRuleSetName(policies, catalogue);
      const complete = { ...request, kind: 'decision', ruleSet, rules } as const;
      let answer = await pool.sendInTurn({ ...complete, rules: null }, origin);
      if (answer.kind === 'rulesMissing') answer = await pool.sendInTurn(complete, origin);
      if (answer.kind !== 'drafted') throw new AppError('INTERNAL_ERROR');
      const { draft } = answer;
      // Threads exchange plain data, which an object id is not.
      if (draft.fields.review) draft.fields.review._id = toObjectId(request.reviewId);
      return draft;
    },
  };
}

const toRuleSetName = (
  { digest, members }: PolicySet,
  catalogue: ToolCatalogue | undefined,
): string => [digest, members.map(({ revision }) => revision).join(), catalogue?.digest].join('/');

/** The thread of an instance for large decisions. */
export const openLargeBodies = perInstance(createLargeBodies);

function restoreItem(
  { idempotencyKey, rawBody, sent, body }: InspectedItem,
  bodyId: string,
): RestoredItem {
  const { buffer, byteOffset, byteLength } = rawBody;
  return {
    idempotencyKey,
    rawBody: Buffer.from(buffer, byteOffset, byteLength),
    sent,
    body:
      'members' in body ? new InspectedBody(body.members, bodyId) : restoreFailure(body.failure),
  };
}
