// A stored decision as readers see it: the committed payload, what later entries replaced in it, scrubbed by the rules in force.
import type { Json } from '../../domain/record/json.ts';
import type { Scrubber } from '../../domain/scrub/scrubber.ts';
import { ADAPTER_MEMBERS, type TraceDocument } from './traces.model.ts';

/** Shown as they are stored. */
const PLAIN = [
  ...([
    'traceId',
    'organizationId',
    'workspaceId',
    'agentId',
    'agentName',
    'agentVersion',
    'schemaVersion',
  ] as const),
  ...([
    'status',
    'confidenceScore',
    'tags',
    'humanOverride',
    'timestamp',
    'clientInfo',
    'createdAt',
  ] as const),
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

/** `scrubber`: null when the stored text was scrubbed by the rules in force. */
export function toTraceView(trace: TraceDocument, scrubber: Scrubber | null) {
  const { _id, changed = {}, sealed, sequence, chainHash } = trace;
  const payload = (name: string): Json => {
    const text = name in changed ? changed[name] : sealed[name]?.text;
    if (text == null) return null;
    const value = JSON.parse(text) as Json;
    return scrubber ? scrubber.value(value).value : value;
  };
  const searched = (text: string | null): string | null =>
    text && scrubber ? scrubber.text(text).text : text;
  const adapter = ADAPTER_MEMBERS.map((name) => [name, payload(name)] as const).filter(
    ([, value]) => value !== null,
  );
  return {
    _id,
    id: _id,
    ...(membersOf(PLAIN, (name) => trace[name]) as Pick<TraceDocument, (typeof PLAIN)[number]>),
    ...membersOf(PAYLOAD, payload),
    ...membersOf(SEARCHED, (name) => searched(trace[name])),
    ...Object.fromEntries(adapter),
    hashChain: { sequence, chainHash },
  };
}

function membersOf<K extends string, V>(
  names: readonly K[],
  valueOf: (name: K) => V,
): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<K, V>;
}
