// A stored decision as it is judged again: what its entry commits to, read back.
import { JUDGING_VERSION } from '../../../domain/judging-version.ts';
import type { DecisionOnRecord } from '../../../domain/policies/trials/rejudge.ts';
import type { RecordedFacts } from '../../../domain/policies/replay.ts';
import type { Json, JsonObject } from '../../../domain/record/json.ts';
import type { TracePayload } from '../../../domain/record/payload.ts';
import type { TraceDocument } from '../../traces/traces.model.ts';

/** What is read of a decision to judge it again. */
export type StoredDecision = Pick<
  TraceDocument,
  'sequence' | 'traceId' | 'verdict' | 'schemaVersion' | 'view' | 'sealed'
>;

/** Committed values that are not content. */
const ABOUT = new Set(['submitted', 'origin', 'evaluation', 'facts']);

/** By whom it was judged. */
export function payloadOf({ view }: StoredDecision): TracePayload {
  return JSON.parse(view) as TracePayload;
}

/** Null when even its score was erased. */
export function recordedDecision(
  stored: StoredDecision,
  { engineVersion }: Pick<TracePayload, 'engineVersion'>,
  judgedBy: ReadonlySet<string>,
): DecisionOnRecord | null {
  const value = (name: string): Json | undefined => {
    const text = stored.sealed[name]?.text;
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  };
  const evaluation = value('evaluation');
  if (evaluation === undefined) return null;
  const content: JsonObject = {};
  for (const name of Object.keys(stored.sealed)) {
    const kept = ABOUT.has(name) ? undefined : value(name);
    if (kept !== undefined) content[name] = kept;
  }
  return {
    evaluation: evaluation as unknown as DecisionOnRecord['evaluation'],
    facts: value('facts') as unknown as RecordedFacts | undefined,
    origin: presentIn(value('origin')),
    content,
    schemaVersion: stored.schemaVersion,
    isErased: Object.values(stored.sealed).some((kept) => kept === null),
    isSameEngine: engineOf(engineVersion) === engineOf(JUDGING_VERSION),
    judgedBy,
  };
}

/** What evaluates conditions: scores, tags and personal data are on record as they were found. */
function engineOf(version: string): string {
  return /policy-.*(?=\.scrub-)/.exec(version)?.[0] ?? version;
}

function presentIn(origin: Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries((origin ?? {}) as JsonObject).filter(([, value]) => value !== null),
  );
}
