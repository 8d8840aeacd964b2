// Turns a judged decision into the draft to be sealed: commitments, payload, digest, stored members (formats.md).
import type { Json, JsonObject } from '@assay/json';
import { chooseExpiry, type ReviewSla, computeSlaDeadline } from '@assay/policy';
import { computePayloadDigest, sha256Hex } from '../../../domain/record/chain.ts';
import { type ClientInfo, parseClientInfo } from '../../../domain/record/client-info.ts';
import { type CommittedValue, commitValues } from '../../../domain/record/commitments.ts';
import { JUDGING_VERSION } from '../../../domain/judging-version.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { createTracePayload } from '../../../domain/record/payload.ts';
import {
  commitRawAction,
  deriveBindingSalt,
  hashAction,
  RAW_ACTION,
} from '../../../domain/actions/proposed-action.ts';
import { deriveActorMark, listActorNames } from '../../../domain/review/actor-marks.ts';
import { deriveAlikeMark } from '../../../domain/review/alike-mark.ts';
import type { LimitNotice } from '../../../domain/budgets/spending.ts';
import { findPermitter, toActPlace } from '../../../domain/halt/act.ts';
import type { HaltNotice } from '../../../domain/halt/halt.ts';
import type { StandingGrant } from '../../../domain/grants/standing-grant.ts';
import type { Principal } from '../../../domain/workload/principal.ts';
import type { Draft } from '../../../ledger/entry.ts';
import { deriveEffectKey } from '../../../domain/actions/effect-keys.ts';
import type { ResolvedAgent } from '../../../identity/agents/agent-resolver.service.ts';
import { addUse, addUseSpends, toGrantNotice } from '../limits/drafted-grants.ts';
import { draftLimits } from '../limits/drafted-limits.ts';
import {
  draftSession,
  type JudgedSession,
  toSessionState,
  toStateValue,
} from '../sessions/judged-session.ts';
import type { Judgement } from './judge.ts';
import {
  ADAPTER_MEMBERS,
  CONTEXT_MEMBERS,
  type ReviewItem,
  type TraceDocument,
  type TraceFields,
} from '../traces.model.ts';

/** Facts of a decision besides its judgement; plain data that can be sent to a thread. */
export interface DraftContext {
  tenant: Pick<Tenant, 'organizationId' | 'actor'>;
  traceId: string;
  workspaceId: string;
  reviewSla: ReviewSla;
  /** Of the workspace, in seconds; null: its holds do not expire. */
  reviewExpiresIn: number | null;
  agent: ResolvedAgent | null;
  logPayloads: boolean;
  schemaVersion: string;
  policySetDigest: string;
  scrubVersion: string;
  userAgent: string | null;
  /** The moment of judgement. */
  at: Date;
  /** Present if the decision names no registered agent. */
  agentMark: string | undefined;
  /** Keys the digests of effects and actors; see `createEffectSecrets`. */
  effectSecret: string;
  /** Present if the decision is posted with a run token. */
  principal?: Principal | undefined;
  /** What stopped the decision, if anything did. */
  halt?: HaltNotice | undefined;
  /** The limits that it would have passed. */
  passed?: readonly LimitNotice[] | undefined;
  /** The standing grants that may let it through; absent: none. */
  grants?: readonly StandingGrant[] | undefined;
  /** The session that it was judged on; absent: no policy depends on it. */
  session?: JudgedSession | undefined;
}

export interface DraftInput {
  context: DraftContext;
  judged: Judgement;
  /** The action as it was sent: only a commitment to its digest is kept. */
  rawAction: Json;
  /** Whom `actor` names, as it was sent: only marks of them are kept, should the decision be held. */
  actorNames: readonly string[];
  /** The expiry that the caller asks for, should the decision be held. */
  requestedExpiry: { expiresIn: number } | null;
  rawBody: Uint8Array;
  idempotencyKey: Buffer | null;
  monthlyLimit: number | null;
  newReviewId: () => ReviewItem['_id'];
  draw16Bytes: () => Buffer;
}

/** Values that are committed to but not stored, for agents that do not log payloads. */
const PAYLOAD = [
  'inputContext',
  'outputDecision',
  'rationale',
  'alternatives',
  'conversation',
  'crew',
];

/** Upper bound on the values of a decision, each of which takes 16 random bytes. */
export const MAX_SEEDS = 12 + ADAPTER_MEMBERS.length + CONTEXT_MEMBERS.length;

/** Scrubbed members of a decision besides its payload. */
interface Origin {
  /** As the caller named it. */
  agentId: string;
  agentVersion: string | null;
  clientInfo: ClientInfo | null;
  /** As the caller gave it. */
  timestamp: string | null;
}

/** The action as it was sent, of a body that was checked. */
export function readRawAction(body: JsonObject): Json {
  const { outputDecision } = body as { outputDecision?: { action?: Json } };
  return outputDecision?.action ?? null;
}

/** Whom `actor` names, and whom the principal acts for. */
export const readActorNames = (
  { actor }: JsonObject,
  principal: Principal | undefined,
): string[] => [
  ...new Set([...listActorNames(actor), ...(principal?.chain ?? []).map(({ id }) => id)]),
];

/** Reads the expiry that a checked body asks for; null: none. */
export function readRequestedExpiry({ review }: JsonObject): { expiresIn: number } | null {
  const { expiresIn } = (review ?? {}) as { expiresIn?: number };
  return expiresIn === undefined ? null : { expiresIn };
}

/** Drafts the entry of a judged decision. */
export function draftDecision(input: DraftInput): Draft<TraceDocument> {
  const { context, judged, idempotencyKey, monthlyLimit } = input;
  const { organizationId } = context.tenant;
  const origin = readOrigin(input);
  const limits = draftLimits(judged, context, origin.agentId);
  const state = addUse(
    { ...limits?.state, ...toSessionState(judged, context.session) },
    judged.granted,
  );
  const stop = describeStop(input);
  const committed = commit(input, { origin, stop, state: toStateValue(state) });
  const { sealed, commitments } = committed;
  const view = buildView(input, committed);
  const draft: Draft<TraceDocument> = {
    organizationId,
    kind: 'trace',
    traceId: context.traceId,
    payload: view,
    payloadDigest: computePayloadDigest(view),
    fields: Object.assign(buildFields(input, origin, commitments[RAW_ACTION]), { sealed }, stop),
    idempotencyKey,
    monthlyLimit,
  };
  const spends = addUseSpends(limits?.spends, state);
  if (spends) draft.spends = spends;
  const session = draftSession(state, judged, context);
  if (session) draft.session = session;
  return addAct(draft, context);
}

function buildView({ context, judged }: DraftInput, { commitments, unstored }: Committed): string {
  return createTracePayload({
    organizationId: context.tenant.organizationId,
    workspaceId: context.workspaceId,
    traceId: context.traceId,
    actor: context.tenant.actor,
    agent: context.agent?.agentId ?? null,
    schemaVersion: context.schemaVersion,
    status: judged.verdict,
    engineVersion: JUDGING_VERSION,
    policySetDigest: context.policySetDigest,
    scrubVersion: context.scrubVersion,
    unstored,
    commitments,
  });
}

/** What a decision has that is held or blocked. */
type Stop = Pick<TraceFields, 'review'> & { alike?: string };

function describeStop(input: DraftInput): Stop {
  const { verdict, policy, passed, content } = input.judged;
  if (verdict === 'approved') return {};
  const { outputDecision: output = null } = content;
  const isLimit = passed.length > 0;
  const alike = deriveAlikeMark(input.context.effectSecret, { policy, isLimit, output });
  return verdict === 'flagged' ? { review: createReviewItem(input), alike } : { alike };
}

/** Adds what a halt is asked where the entry lets the agent act. */
function addAct(draft: Draft<TraceDocument>, context: DraftContext): Draft<TraceDocument> {
  const { kind, fields } = draft;
  const by = findPermitter({ kind, status: fields.verdict, actor: context.tenant.actor }, fields);
  if (by !== null) draft.act = { by, ...toActPlace(fields, context.principal) };
  return draft;
}

function readOrigin({ judged: { content }, context: { userAgent } }: DraftInput): Origin {
  return {
    agentId: content.agentId as string,
    agentVersion: (content.agentVersion as string | undefined) ?? null,
    clientInfo: parseClientInfo(userAgent),
    timestamp: (content.timestamp as string | undefined) ?? null,
  };
}

interface CommittedParts {
  origin: Origin;
  stop: Stop;
  state: JsonObject | undefined;
}

function commit(input: DraftInput, { origin, stop, state }: CommittedParts) {
  const { judged, rawBody, context, draw16Bytes } = input;
  const { content, evaluation } = judged;
  const { inputContext, outputDecision, alternatives, triggeringCondition, metadata } = content;
  const values: Record<string, Json | undefined> = {
    submitted: sha256Hex(rawBody),
    origin: { ...origin },
    evaluation,
    facts: buildFacts(input, stop),
    state,
    inputContext,
    outputDecision,
    rationale: readRationale(content),
    alternatives,
    triggeringCondition,
    metadata,
  };
  for (const name of ADAPTER_MEMBERS) if (content[name] !== undefined) values[name] = content[name];
  for (const name of CONTEXT_MEMBERS) if (content[name] !== undefined) values[name] = content[name];
  if (context.principal) values['principal'] = { ...context.principal } as unknown as JsonObject;
  return bindRawAction(input, omitPayload(context, commitValues(values, draw16Bytes)));
}

interface Committed {
  sealed: Record<string, CommittedValue>;
  commitments: Record<string, string>;
  unstored: string[];
}

/** Removes the payload where it is not to be stored. */
function omitPayload(
  { logPayloads }: DraftContext,
  { sealed, commitments }: ReturnType<typeof commitValues>,
): Committed {
  const unstored = logPayloads ? [] : PAYLOAD.filter((name) => name in sealed);
  for (const name of unstored) delete sealed[name];
  return { sealed, commitments, unstored };
}

/** Commits to the action as it was sent. Neither the action nor its digest is kept. */
function bindRawAction({ rawAction }: DraftInput, committed: Committed): Committed {
  const digest = hashAction(rawAction);
  const { submitted } = committed.sealed;
  if (digest === null || !submitted) return committed;
  committed.commitments[RAW_ACTION] = commitRawAction(digest, deriveBindingSalt(submitted.seed));
  committed.unstored.push(RAW_ACTION);
  return committed;
}

/** Without spreads: two of them made a draft a tenth slower (row ingest/R1). */
function buildFields(
  input: DraftInput,
  { agentId, agentVersion, timestamp, clientInfo }: Origin,
  binding: string | undefined,
): Omit<TraceFields, 'sealed'> {
  const { judged, context } = input;
  const { workspaceId, agent, schemaVersion, at, scrubVersion } = context;
  const { content, verdict, confidenceScore, tags, matchedPolicyIds } = judged;
  const latency = (content.metadata as { latencyMs?: Json } | undefined)?.latencyMs;
  const fields: Omit<TraceFields, 'sealed'> = {
    workspaceId,
    agentId: agent?.agentId ?? agentId,
    agentName: agent?.name ?? null,
    agentVersion,
    schemaVersion,
    status: verdict,
    verdict,
    confidenceScore,
    tags,
    humanOverride: false,
    timestamp: timestamp === null ? at : new Date(timestamp),
    clientInfo,
    answer: buildAnswer(input, binding),
    matchedPolicyIds,
    latency: typeof latency === 'number' ? latency : null,
    scrub: { rulesVersion: scrubVersion },
  };
  return addContext(fields, judged);
}

function buildAnswer(
  { judged, context: { agentMark, halt } }: DraftInput,
  binding: string | undefined,
): TraceFields['answer'] {
  const answer: TraceFields['answer'] = { policy: judged.policy };
  if (agentMark !== undefined) answer.agentMark = agentMark;
  if (binding !== undefined) answer.binding = binding;
  if (judged.singleUse) answer.singleUse = true;
  if (halt) answer.halt = halt;
  if (judged.passed.length > 0) answer.limits = [...judged.passed];
  if (judged.halts) answer.halts = judged.halts;
  if (judged.granted) answer.grant = toGrantNotice(judged.granted);
  return answer;
}

/** Repeats in columns what lists are filtered by. */
function addContext(
  fields: Omit<TraceFields, 'sealed'>,
  { content: { sessionId, parentTraceId }, facts }: Judgement,
): Omit<TraceFields, 'sealed'> {
  const observed = facts['observed'] as { id: string }[] | undefined;
  if (observed) fields.observedPolicyIds = observed.map(({ id }) => id);
  if (typeof sessionId === 'string') fields.sessionId = sessionId;
  if (typeof parentTraceId === 'string') fields.parentTraceId = parentTraceId;
  return fields;
}

/** Commits to the initial columns of answer and review, so that a later change of them is detected. */
function buildFacts(input: DraftInput, { review, alike }: Stop): JsonObject {
  const { judged, context } = input;
  const committedFacts: JsonObject = { ...judged.facts, agentMark: context.agentMark ?? null };
  if (alike !== undefined) committedFacts['alike'] = alike;
  if (judged.singleUse) committedFacts['singleUse'] = true;
  if (context.halt) committedFacts['halt'] = { ...context.halt };
  if (judged.passed.length > 0)
    committedFacts['limits'] = judged.passed.map((notice) => ({ ...notice }));
  if (judged.halts) committedFacts['halts'] = { ...judged.halts };
  if (judged.granted) committedFacts['grant'] = { ...toGrantNotice(judged.granted) };
  if (judged.effects.length > 0)
    committedFacts['effects'] = judged.effects.map(({ template, text, name }) => ({
      template,
      name,
      key: text && deriveEffectKey(context.effectSecret, text),
    }));
  if (review) committedFacts['review'] = buildReviewFacts(input, review);
  return committedFacts;
}

function buildReviewFacts({ context, actorNames }: DraftInput, review: ReviewItem): JsonObject {
  const { _id, priority, workflowStep, slaDeadline: deadline, expiresAt, onExpiry } = review;
  return {
    id: _id.toHexString(),
    priority,
    workflowStep,
    slaDeadline: deadline?.toISOString() ?? null,
    ...(expiresAt && onExpiry && { expiresAt: expiresAt.toISOString(), onExpiry }),
    ...(review.approvals && { approvals: { ...review.approvals } as unknown as JsonObject }),
    ...(actorNames.length > 0 && {
      actors: actorNames.map((name) => deriveActorMark(context.effectSecret, name)),
    }),
  };
}

/** The pending review of a held decision. */
function createReviewItem(input: DraftInput): ReviewItem {
  const { newReviewId, judged, context } = input;
  const { reviewSla, at } = context;
  const priority = judged.reviewPriority ?? 'medium';
  const item: ReviewItem = {
    _id: newReviewId(),
    status: 'pending',
    priority,
    workflowStep: 1,
    slaDeadline: computeSlaDeadline(reviewSla, priority, at),
    ...(judged.approvals && { approvals: judged.approvals }),
  };
  return Object.assign(item, computeExpiry(input));
}

function computeExpiry({ judged, context, requestedExpiry }: DraftInput) {
  const { reviewExpiresIn, at } = context;
  const expiry = chooseExpiry({
    requested: requestedExpiry,
    policy: judged.reviewExpiry,
    workspace: reviewExpiresIn === null ? null : { expiresIn: reviewExpiresIn },
  });
  if (!expiry) return {};
  const { expiresIn, onExpiry } = expiry;
  return { expiresAt: new Date(at.getTime() + expiresIn * 1000), onExpiry };
}

function readRationale(content: JsonObject): string | null {
  const inside = (content.outputDecision as { rationale?: Json } | undefined)?.rationale;
  const rationale = content.rationale ?? inside;
  return typeof rationale === 'string' ? rationale : null;
}
