// Reads back what a stored decision's entry commits to, so that it can be judged again.
import type { Json, JsonObject } from '@assay/json';
import type { RecordedFacts } from '@assay/policy';
import { JUDGING_VERSION } from '../../domain/judging-version.ts';
import type { DecisionOnRecord } from '../../domain/policies/trials/rejudge.ts';
import { readCommittedState } from '../../domain/record/committed-state.ts';
import { rebuildStateFacts } from '../../domain/sessions/state-facts.ts';
import type { TracePayload } from '../../domain/record/payload.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';

/** The fields of a decision that judging it again needs. */
export type StoredDecision = Pick<
  TraceDocument,
  'sequence' | 'traceId' | 'verdict' | 'tags' | 'schemaVersion' | 'view' | 'sealed'
>;

/** Selects those fields, and what opens the contents. */
export const STORED_DECISION = {
  sequence: 1,
  traceId: 1,
  verdict: 1,
  tags: 1,
  schemaVersion: 1,
  view: 1,
  sealed: 1,
  content: 1,
  generation: 1,
} as const;

/** Names of committed values that are not content. */
const ABOUT = new Set(['submitted', 'origin', 'evaluation', 'facts', 'principal', 'state']);

/** Parses the payload, which names the policy set and engine that judged the decision. */
export function parseTracePayload({ view }: StoredDecision): TracePayload {
  return JSON.parse(view) as TracePayload;
}

/** Returns null when even the score was erased. */
export function toRecordedDecision(
  stored: StoredDecision,
  { engineVersion }: Pick<TracePayload, 'engineVersion'>,
  judgedBy: ReadonlySet<string>,
): DecisionOnRecord | null {
  const readValue = (name: string): Json | undefined => {
    const text = stored.sealed[name]?.text;
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  };
  const evaluation = readValue('evaluation');
  if (evaluation === undefined) return null;
  const content: JsonObject = {};
  for (const name of Object.keys(stored.sealed)) {
    const kept = ABOUT.has(name) ? undefined : readValue(name);
    if (kept !== undefined) content[name] = kept;
  }
  return {
    evaluation: evaluation as unknown as DecisionOnRecord['evaluation'],
    facts: readValue('facts') as unknown as RecordedFacts | undefined,
    origin: omitNulls(readValue('origin')),
    content,
    schemaVersion: stored.schemaVersion,
    state: rebuildStateFacts(readCommittedState(stored.sealed)),
    isErased: Object.values(stored.sealed).some((kept) => kept === null),
    isSameEngine: parseEngine(engineVersion) === parseEngine(JUDGING_VERSION),
    judgedBy,
  };
}

/**
 * The part of the engine version that evaluates conditions; scores, tags and personal data are read from the
 * record.
 */
function parseEngine(version: string): string {
  return /policy-.*(?=\.scrub-)/.exec(version)?.[0] ?? version;
}

function omitNulls(origin: Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries((origin ?? {}) as JsonObject).filter(([, value]) => value !== null),
  );
}
