// Judges large bodies in a worker thread: requests and answers are plain data, and everything random comes with a request.
import { LRUCache } from 'lru-cache';
import type { Json, JsonObject } from '@assay/json';
import {
  compileCatalogue,
  compilePolicies,
  listSourceTraces,
  type PolicySet,
  type PolicyDefinition,
  readOrigins,
  type ToolCatalogue,
} from '@assay/policy';
import type { DecisionHistory } from '../../../domain/confidence/score.ts';
import { AppError } from '../../../errors.ts';
import type { Draft } from '../../../ledger/entry.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { type PlainFailure, toPlainFailure } from '../../../platform/threads/failures.ts';
import type { ResolvedAgent } from '../../../identity/agents/agent-resolver.service.ts';
import { readItem } from '../batch/batch-items.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { IngestBody } from '../traces.schemas.ts';
import {
  draftDecision,
  type DraftContext,
  readActorNames,
  readRawAction,
  readRequestedExpiry,
} from './draft.ts';
import { evaluateSubmission } from './judge.ts';
import { requireWithinLimits, resolveSchemaVersion } from './request-checks.ts';
import { getScrubber } from '../scrubbing/scrubbers.ts';

export interface SentBody {
  rawBody: Uint8Array;
  contentType: string | undefined;
}

/** Asks whether a body is a decision within the limits of its schema version. */
export interface InspectionRequest extends SentBody {
  kind: 'inspection';
  /** Names the checked body, which is kept for its judgement. */
  bodyId: string;
  /** The header `X-Service-Version`. */
  serviceVersion: string | undefined;
  now: Date;
}

/** The policies by which a decision is judged, and the lists of tools; null: no policy depends on tools. */
export interface JudgingRules {
  policies: readonly PolicyDefinition[];
  tools: ToolCatalogue['lists'] | null;
}

/** Asks for the draft of a decision that was inspected before. */
export interface DecisionRequest extends SentBody {
  kind: 'decision';
  /** As its inspection named it; what is no longer kept is parsed again. */
  bodyId: string;
  context: DraftContext;
  agentPolicies: ResolvedAgent['policies'];
  history: DecisionHistory;
  nationalIds: boolean;
  /** Identifies the rules that judge. */
  ruleSet: string;
  /** Those rules; null: they were sent before. */
  rules: JudgingRules | null;
  /** The id of its review, should it be held. */
  reviewId: string;
  /** 16 random bytes for each value. */
  seeds: Uint8Array;
}

/** Asks the same as an inspection of each decision of a batch. */
export type BatchInspectionRequest = Omit<InspectionRequest, 'kind'> & { kind: 'batchInspection' };

export type BodyRequest = InspectionRequest | BatchInspectionRequest | DecisionRequest;

export interface InspectedMembers {
  agentId: string | undefined;
  sessionId: string | undefined;
  parentTraceId: string | undefined;
  actor: IngestBody['actor'];
  schemaVersion: string | undefined;
  /** The decisions in whose results its values were seen. */
  sourceTraces: string[];
}

/** One decision of a batch; see `BatchItem`. */
export interface InspectedItem {
  idempotencyKey: string | undefined;
  rawBody: Uint8Array;
  sent: Json | undefined;
  body: { members: InspectedMembers } | { failure: PlainFailure };
}

export type BodyAnswer =
  | { kind: 'accepted'; sent: Json; members: InspectedMembers }
  | { kind: 'inspectedBatch'; items: InspectedItem[] }
  | { kind: 'refused'; sent: Json | undefined; failure: PlainFailure }
  /** The request has to be repeated with the rules. */
  | { kind: 'rulesMissing' }
  | { kind: 'drafted'; draft: Draft<TraceDocument> };

/** Parses and checks bodies as the route does. */
export interface BodyReader {
  /** @throws AppError `SVC_VALIDATION_FAILED`, `UNSUPPORTED_MEDIA_TYPE` */
  parse(body: SentBody): Json | undefined;
  /** @throws AppError `SVC_VALIDATION_FAILED` */
  check(parsed: Json | undefined): IngestBody;
  /** The decisions of a batch. @throws AppError as `parse` and `check` do */
  parseBatch(body: SentBody): readonly unknown[];
}

/** Policies with their tools that stay compiled. */
const MAX_SETS = 100;
const SEED_BYTES = 16;
/** Bytes of checked bodies that wait for their judgement. */
const KEPT_BYTES = 16 * 1024 * 1024;

type CompiledRules = { policies: PolicySet; catalogue: ToolCatalogue | undefined };

const compileRules = ({ policies, tools }: JudgingRules): CompiledRules => ({
  policies: compilePolicies(policies),
  catalogue: tools ? compileCatalogue(tools) : undefined,
});

export function createBodyJudge(reader: BodyReader): (request: BodyRequest) => BodyAnswer {
  const sets = new LRUCache<string, CompiledRules>({ max: MAX_SETS });
  const checked = new LRUCache<string, IngestBody>({ maxSize: KEPT_BYTES });

  function keepBody(bodyId: string, body: IngestBody, { byteLength }: Uint8Array): void {
    checked.set(bodyId, body, { size: byteLength + 1 });
  }

  /** Takes the body that was checked at its inspection. */
  function takeBody(request: DecisionRequest): IngestBody {
    const kept = checked.get(request.bodyId);
    checked.delete(request.bodyId);
    return kept ?? reader.check(reader.parse(request));
  }

  function findRules({ ruleSet, rules }: DecisionRequest): CompiledRules | null {
    const known = sets.get(ruleSet);
    if (known || !rules) return known ?? null;
    const compiled = compileRules(rules);
    sets.set(ruleSet, compiled);
    return compiled;
  }

  function inspectBody(request: InspectionRequest): BodyAnswer {
    let sent: Json | undefined;
    try {
      const parsed = reader.parse(request);
      sent = selectAgentId(parsed);
      const body = reader.check(parsed);
      const members = requireLimits(body, request);
      keepBody(request.bodyId, body, request.rawBody);
      return { kind: 'accepted', sent: sent ?? null, members };
    } catch (error) {
      return { kind: 'refused', sent, failure: toPlainFailure(error) };
    }
  }

  function inspectBatch(request: BatchInspectionRequest): BodyAnswer {
    try {
      const documents = reader.parseBatch(request);
      const items = documents.map((one, index) => {
        const { item, body } = inspectItem(one, request);
        if (body) keepBody(deriveItemId(request.bodyId, index), body, item.rawBody);
        return item;
      });
      return { kind: 'inspectedBatch', items };
    } catch (error) {
      return { kind: 'refused', sent: undefined, failure: toPlainFailure(error) };
    }
  }

  function judgeBody(request: DecisionRequest): BodyAnswer {
    const rules = findRules(request);
    if (!rules) return { kind: 'rulesMissing' };
    const { rawBody, context, agentPolicies, history, nationalIds } = request;
    // The body is JSON, since it came through the strict parser.
    const body = takeBody(request) as JsonObject;
    const judged = evaluateSubmission(body, {
      agent: context.agent,
      agentPolicies,
      history,
      ...rules,
      scrubber: getScrubber({ nationalIds, extended: agentPolicies.piiMasking }),
      versionScrubber: getScrubber({ nationalIds, extended: false }),
      at: context.at,
      principal: context.principal,
      halt: context.halt,
      passed: context.passed,
      grants: context.grants,
      session: context.session,
    });
    const draft = draftDecision({
      context,
      judged,
      rawAction: readRawAction(body),
      actorNames: readActorNames(body, context.principal),
      requestedExpiry: readRequestedExpiry(body),
      rawBody,
      idempotencyKey: null,
      monthlyLimit: null,
      newReviewId: () => toObjectId(request.reviewId),
      draw16Bytes: createDrawer(request.seeds),
    });
    return { kind: 'drafted', draft };
  }

  return (request) => {
    if (request.kind === 'decision') return judgeBody(request);
    return request.kind === 'inspection' ? inspectBody(request) : inspectBatch(request);
  };
}

/** @throws AppError as `resolveSchemaVersion` and `requireWithinLimits` do */
function requireLimits(
  body: IngestBody,
  { rawBody, serviceVersion, now }: Pick<InspectionRequest, 'rawBody' | 'serviceVersion' | 'now'>,
): InspectedMembers {
  const { agentId, sessionId, parentTraceId, actor, schemaVersion, origins } = body;
  const { limits } = resolveSchemaVersion({ 'x-service-version': serviceVersion }, body, now);
  requireWithinLimits(body, limits, rawBody.length);
  const sourceTraces = listSourceTraces(readOrigins(origins as Json | undefined));
  return { agentId, sessionId, parentTraceId, actor, schemaVersion, sourceTraces };
}

/** The name of a decision of a batch. */
export const deriveItemId = (bodyId: string, index: number): string => `${bodyId}/${index}`;

/** `body`: as it is to be judged; null where it is refused. */
function inspectItem(
  document: unknown,
  request: BatchInspectionRequest,
): { item: InspectedItem; body: IngestBody | null } {
  const { idempotencyKey, rawBody, sent, body } = readItem(document);
  // A buffer of its own: a thread sends a part of a larger one as the whole.
  const item = { idempotencyKey, rawBody: Uint8Array.from(rawBody), sent: selectAgentId(sent) };
  try {
    if (body instanceof AppError) throw body;
    const members = requireLimits(body as IngestBody, { ...request, rawBody });
    return { item: { ...item, body: { members } }, body: body as IngestBody };
  } catch (error) {
    return { item: { ...item, body: { failure: toPlainFailure(error) } }, body: null };
  }
}

/** Draws the seeds one by one. */
function createDrawer(seeds: Uint8Array): () => Buffer {
  let drawn = 0;
  return () => Buffer.from(seeds.subarray(drawn, (drawn += SEED_BYTES)));
}

/** The agent that a body names, which may be invalid otherwise; no other member is needed outside. */
function selectAgentId(parsed: Json | undefined): Json | undefined {
  if (typeof parsed !== 'object' || !parsed || !('agentId' in parsed)) return undefined;
  const { agentId } = parsed;
  return typeof agentId === 'string' ? { agentId } : undefined;
}
