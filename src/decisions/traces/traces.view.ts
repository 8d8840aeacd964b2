// Renders a stored decision for readers: the committed payload with later replacements, scrubbed by the rules in force.
import type { LimitNotice } from '../../domain/budgets/spending.ts';
import type { HaltNotice, PolicyHalt } from '../../domain/halt/halt.ts';
import type { Json } from '@assay/json';
import type { Scrubber } from '@assay/scrub';
import { toBasis, type VerdictBasis } from './limits/drafted-grants.ts';
import { Work, workLimits } from '@assay/patterns';
import { listActorNames } from '../../domain/review/actor-marks.ts';
import { hashAction, extractProposedAction } from '../../domain/actions/proposed-action.ts';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.ts';
import {
  ADAPTER_MEMBERS,
  CONTEXT_MEMBERS,
  type ReviewItem,
  type TraceDocument,
} from './traces.model.ts';

/** Members shown as they are stored. */
const PLAIN = [
  'traceId',
  'organizationId',
  'workspaceId',
  'agentId',
  'agentName',
  'agentVersion',
  'schemaVersion',
  'status',
  'confidenceScore',
  'tags',
  'humanOverride',
  'timestamp',
  'clientInfo',
  'createdAt',
] as const;
/** Payload members that are plain texts. */
const TEXTS = ['rationale', 'triggeringCondition'] as const;
/** Payload members; null if the decision has none. */
const PAYLOAD = ['inputContext', 'outputDecision', 'alternatives', 'metadata'] as const;
const LINK = ['sequence', 'chainHash', 'scrub', 'verdict'] as const;
/** The item of a held decision, and what decided. */
const HELD = [
  'review',
  'answer.policy',
  'answer.halt',
  'answer.limits',
  'answer.halts',
  'answer.grant',
] as const;

/** Shown where the decision has them. */
const OPTIONAL = [...ADAPTER_MEMBERS, ...CONTEXT_MEMBERS, 'principal'] as const;
const SEALED = [...PAYLOAD, ...TEXTS, ...OPTIONAL];
/** Columns needed to decrypt the payload. */
const LOCKED = ['content', 'generation'] as const;

type Projection = Readonly<Record<string, 1>>;
const toProjection = (paths: readonly string[]): Projection =>
  Object.fromEntries(paths.map((path) => [path, 1]));

/** The projection that shows a decision; nothing else is read. */
export const VIEW_MEMBERS = toProjection([
  ...PLAIN,
  ...LINK,
  ...HELD,
  ...LOCKED,
  ...SEALED.flatMap((name) => [`sealed.${name}`, `changed.${name}`]),
  'sealed.facts',
]);
/** The same projection without payload and texts. */
export const SUMMARY_MEMBERS = toProjection([...PLAIN, ...LINK, ...HELD]);

/** Additional members of a decision that was held for review. */
export interface Held {
  item: ReviewItem;
  /** The policy that held it; null once it is erased. */
  policy: TraceDocument['answer']['policy'];
  /** The action in force; null if it is not stored or not shown. */
  action: Json;
  /** Digest of the stored action, before any scrubbing on reading. */
  actionDigest: string | null;
  /** Read on demand: lists of decisions do not show it. */
  readActors: () => StoredActors;
}

/** Whom `actor` names: marks of the names as they were sent; without them, in older entries, the scrubbed names. */
export interface StoredActors {
  marks: readonly string[];
  names: readonly string[];
}

export interface TraceView
  extends
    Pick<TraceDocument, '_id' | (typeof PLAIN)[number]>,
    Record<(typeof PAYLOAD)[number], Json>,
    Record<(typeof TEXTS)[number], string | null>,
    Partial<Record<(typeof OPTIONAL)[number], Json>> {
  id: TraceDocument['_id'];
  hashChain: Pick<TraceDocument, 'sequence' | 'chainHash'>;
  /** Null: none decided, or it is erased. */
  matchedPolicy: TraceDocument['answer']['policy'];
  decidedBy: 'policy' | 'person' | 'undecided';
  /** Absent: no halt stopped it, or it is erased. */
  halt?: HaltNotice;
  /** Absent: it would pass none, or it is erased. */
  limits?: LimitNotice[];
  /** Absent: no policy has halted anything as well, or it is erased. */
  halts?: PolicyHalt;
  /** Absent: the policies alone decided, or it is erased. */
  basis?: VerdictBasis;
  /** Null unless the decision was held. */
  held: Held | null;
  /** Set in lists if the payload is omitted for its size. */
  payloadOmitted?: true;
}

/** Characters of all payload members that `VIEW_MEMBERS` reads. */
export function measurePayload(trace: TraceDocument): number {
  const lengths = SEALED.map((name) => readPayloadText(trace, name)?.length ?? 0);
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Expects a document read with `SUMMARY_MEMBERS`. */
export function toTraceSummary(trace: TraceDocument): TraceView {
  const summary = { ...trace, sealed: {}, changed: {} };
  return { ...toStoredView(summary), payloadOmitted: true };
}

/** Renders without scrubbing: the stored text was scrubbed by the rules in force. */
export function toStoredView(trace: TraceDocument): TraceView {
  return buildView(trace, null);
}

/**
 * `scrubber`: null if the stored text was scrubbed by the rules in force. Scrubbing takes up to 40 ms, and yields to the
 * event loop after it.
 */
export async function toTraceView(
  trace: TraceDocument,
  scrubber: Scrubber | null,
): Promise<TraceView> {
  const view = buildView(trace, scrubber);
  if (scrubber) await yieldToEventLoop();
  return view;
}

/** Assigns member by member: a spread would take longer than parsing the payload (row list). */
function buildView(trace: TraceDocument, scrubber: Scrubber | null): TraceView {
  const values = readValues(trace, scrubber);
  const readValue = (name: string): Json => values.get(name) ?? null;
  const view: TraceView = {
    _id: trace._id,
    id: trace._id,
    traceId: trace.traceId,
    organizationId: trace.organizationId,
    workspaceId: trace.workspaceId,
    agentId: trace.agentId,
    agentName: trace.agentName,
    agentVersion: trace.agentVersion,
    schemaVersion: trace.schemaVersion,
    status: trace.status,
    confidenceScore: trace.confidenceScore,
    tags: trace.tags,
    humanOverride: trace.humanOverride,
    timestamp: trace.timestamp,
    clientInfo: trace.clientInfo,
    createdAt: trace.createdAt,
    inputContext: readValue('inputContext'),
    outputDecision: readValue('outputDecision'),
    alternatives: readValue('alternatives'),
    metadata: readValue('metadata'),
    rationale: readValue('rationale') as string | null,
    triggeringCondition: readValue('triggeringCondition') as string | null,
    hashChain: toHashChain(trace),
    matchedPolicy: trace.answer?.policy ?? null,
    decidedBy: findDecider(trace),
    held: toHeld(trace, readValue),
  };
  showOptional(view, trace, readValue);
  return view;
}

/** A status that neither the verdict nor the review gives was set by a person. */
function findDecider(trace: TraceDocument): TraceView['decidedBy'] {
  const { review, humanOverride, status, verdict } = trace;
  if (review?.status === 'withdrawn') return 'undecided';
  const isOpen = !review || review.status === 'pending';
  if (humanOverride || review?.decidedBy || (isOpen && status !== verdict)) return 'person';
  return review?.status === 'pending' ? 'undecided' : 'policy';
}

const toHashChain = ({ sequence, chainHash }: TraceDocument): TraceView['hashChain'] => ({
  sequence,
  chainHash,
});

function showOptional(
  view: TraceView,
  { answer }: TraceDocument,
  valueOf: (name: string) => Json,
): void {
  if (answer?.halt) view.halt = answer.halt;
  if (answer?.limits) view.limits = answer.limits;
  if (answer?.halts) view.halts = answer.halts;
  if (answer?.grant) view.basis = toBasis(answer.grant);
  for (const name of OPTIONAL) if (valueOf(name) !== null) view[name] = valueOf(name);
}

/** Reads the payload values; all are scrubbed within the work budget of one decision. */
function readValues(trace: TraceDocument, scrubber: Scrubber | null): ReadonlyMap<string, Json> {
  const work = new Work(workLimits.scrubbing);
  const values = new Map<string, Json>();
  for (const name of SEALED) {
    const stored = readPayloadText(trace, name);
    if (stored === null) continue;
    const value = JSON.parse(stored) as Json;
    values.set(name, scrubber ? scrubber.scrubValue(value, work).value : value);
  }
  return values;
}

function toHeld(trace: TraceDocument, valueOf: (name: string) => Json): Held | null {
  const { review: item, answer } = trace;
  if (!item) return null;
  return {
    item,
    policy: answer?.policy ?? null,
    action: extractProposedAction(valueOf('outputDecision'), isCorrected(trace)),
    actionDigest: computeActionDigest(trace),
    readActors: () => readActors(trace),
  };
}

export function readActors(trace: TraceDocument): StoredActors {
  const read = (name: string): Json => JSON.parse(readPayloadText(trace, name) ?? 'null') as Json;
  const { review } = Object(read('facts')) as { review?: { actors?: string[] } };
  const marks = review?.actors ?? [];
  return { marks, names: marks.length > 0 ? [] : listActorNames(read('actor')) };
}

/** Digest of the stored action in force. */
export function computeActionDigest(trace: TraceDocument): string | null {
  return hashAction(readAction(trace));
}

/** The stored action in force; null if it is not kept. */
export function readAction(trace: TraceDocument): Json {
  const stored = readPayloadText(trace, 'outputDecision');
  const outputDecision = stored === null ? null : (JSON.parse(stored) as Json);
  return extractProposedAction(outputDecision, isCorrected(trace));
}

function isCorrected({ changed = {} }: TraceDocument): boolean {
  return typeof changed['outputDecision'] === 'string';
}

/** The stored text in force; null if it is absent, erased or cannot be decrypted. */
export function readPayloadText(
  { changed = {}, sealed }: TraceDocument,
  name: string,
): string | null {
  const text = name in changed ? changed[name] : sealed[name]?.text;
  return typeof text === 'string' ? text : null;
}
