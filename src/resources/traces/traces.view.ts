// A stored decision as readers see it: the committed payload, what later entries replaced in it, scrubbed by the rules in force.
import type { Json } from '../../domain/record/json.ts';
import type { Scrubber } from '../../domain/scrub/scrubber.ts';
import { ADAPTER_MEMBERS, type TraceDocument } from './traces.model.ts';

/** Shown as they are stored. */
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
/** Texts that are stored beside the payload, for the search. */
const SEARCHED = ['rationale', 'triggeringCondition'] as const;
/** Payload; null where the decision has none. */
const PAYLOAD = ['inputContext', 'outputDecision', 'alternatives', 'metadata'] as const;
const LINK = ['sequence', 'chainHash', 'scrub'] as const;

/** What is read from the database to show a decision, and nothing else. */
export const VIEW_MEMBERS: Readonly<Record<string, 1>> = Object.fromEntries(
  [
    ...PLAIN,
    ...SEARCHED,
    ...LINK,
    ...[...PAYLOAD, ...ADAPTER_MEMBERS].flatMap((name) => [
      `sealed.${name}.text`,
      `changed.${name}`,
    ]),
  ].map((path) => [path, 1]),
);

export interface TraceView
  extends
    Pick<TraceDocument, '_id' | (typeof PLAIN)[number]>,
    Record<(typeof PAYLOAD)[number], Json>,
    Record<(typeof SEARCHED)[number], string | null>,
    Partial<Record<(typeof ADAPTER_MEMBERS)[number], Json>> {
  id: TraceDocument['_id'];
  hashChain: Pick<TraceDocument, 'sequence' | 'chainHash'>;
}

/** `scrubber`: null when the stored text was scrubbed by the rules in force. */
export function toTraceView(trace: TraceDocument, scrubber: Scrubber | null): TraceView {
  const { _id, sequence, chainHash } = trace;
  const valueOf = (name: string): Json => {
    const value = payloadValue(trace, name);
    return scrubber ? scrubber.value(value).value : value;
  };
  const textOf = (text: string | null): string | null =>
    text && scrubber ? scrubber.text(text).text : text;
  return {
    _id,
    id: _id,
    ...(membersOf(PLAIN, (name) => trace[name]) as Pick<TraceDocument, (typeof PLAIN)[number]>),
    ...membersOf(PAYLOAD, valueOf),
    ...membersOf(SEARCHED, (name) => textOf(trace[name])),
    ...adapterMembers(valueOf),
    hashChain: { sequence, chainHash },
  };
}

/** The value in force; null where there is none, or it is erased. */
function payloadValue({ changed = {}, sealed }: TraceDocument, name: string): Json {
  const text = name in changed ? changed[name] : sealed[name]?.text;
  return text == null ? null : (JSON.parse(text) as Json);
}

function adapterMembers(valueOf: (name: string) => Json): Record<string, Json> {
  const given = ADAPTER_MEMBERS.map((name) => [name, valueOf(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null));
}

function membersOf<K extends string, V>(
  names: readonly K[],
  valueOf: (name: K) => V,
): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<K, V>;
}
