// A stored decision as readers see it: the committed payload, what later entries replaced in it, scrubbed by the rules in force.
import type { Json } from '../../domain/json.ts';
import type { Scrubber } from '../../domain/scrub/scrubber.ts';
import type { TraceDocument } from './traces.model.ts';

/** Payload members, in the order of the interface. */
const PAYLOAD = [
  'inputContext',
  'outputDecision',
  'alternatives',
  'metadata',
  'adapter',
  'mlBomReference',
  'art12',
  'conversation',
  'crew',
] as const;

/** What was scrubbed under the rules in force is not scrubbed again. */
export function shownTrace(trace: TraceDocument, scrubberFor: (rulesVersion: string) => Scrubber | null) {
  const scrubber = scrubberFor(trace.scrub.rulesVersion);
  const shown = (text: string | null | undefined): Json => {
    if (text == null) return null;
    const value = JSON.parse(text) as Json;
    return scrubber ? scrubber.value(value).value : value;
  };
  const textOf = (name: string): string | null | undefined => trace.changed?.[name] ?? trace.sealed[name]?.text;
  const plain = (text: string | null): string | null => (text === null || !scrubber ? text : scrubber.text(text).text);
  const payload = Object.fromEntries(PAYLOAD.map((name) => [name, shown(textOf(name))])) as Record<
    (typeof PAYLOAD)[number],
    Json
  >;
  const {
    _id,
    traceId,
    organizationId,
    workspaceId,
    agentId,
    agentName,
    agentVersion,
    schemaVersion,
    status,
    confidenceScore,
    tags,
    humanOverride,
    timestamp,
    clientInfo,
    sequence,
    chainHash,
    createdAt,
  } = trace;
  return {
    ...payload,
    _id,
    id: _id,
    traceId: traceId ?? '',
    organizationId,
    workspaceId,
    agentId,
    agentName,
    agentVersion,
    schemaVersion,
    rationale: plain(trace.rationale),
    triggeringCondition: plain(trace.triggeringCondition),
    status,
    confidenceScore,
    tags,
    humanOverride,
    timestamp,
    clientInfo,
    hashChain: { sequence, chainHash },
    createdAt,
  };
}
