// Derives the facts of a made-up decision, on which policies are tried, as ingestion would.
import { toCanonicalOrder, type Json, type JsonObject } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import { type DetectionType, toDetectionTag, type Scrubber } from '@assay/scrub';
import { deriveFacts, parseInstant } from '@assay/policy';
import { DEFAULT_AGENT_POLICIES } from '../../agents/agent-policies.ts';
import { scoreDecision } from '../../confidence/score.ts';

/** Derived facts that a fixture may set itself; `action`, `output`, `pii`, `principal` and `time` member by member. */
const DERIVED = [
  'agentName',
  'confidenceScore',
  'tags',
  'pii',
  'time',
  'action',
  'output',
  'principal',
] as const;

const NO_HISTORY = { recentOverrideRate: null, recentFlagRate: null };

/**
 * The facts of a fixture: the members of a decision as posted, and derived facts as the fixture sets them or as they
 * follow from the rest, for an agent with the default settings. `at` is the time of judgement unless
 * `time.instant` is set.
 */
export function deriveFixtureFacts(
  fixture: JsonObject,
  { scrubber, at }: { scrubber: Scrubber; at: Date },
): JsonObject {
  const members = toCanonicalOrder(fixture) as JsonObject;
  const submitted = omitDerived(members);
  const { confidenceScore, tags } = scoreDecision(submitted, DEFAULT_AGENT_POLICIES, NO_HISTORY);
  const pii = detectPii(submitted, scrubber);
  const facts = deriveFacts({
    submitted,
    at: readInstant(members) ?? at,
    agentName: null,
    confidenceScore,
    tags: [...new Set([...tags, ...pii.types.map((type) => toDetectionTag(type))])],
    pii,
  });
  for (const name of DERIVED)
    if (Object.hasOwn(members, name)) facts[name] = mergeFact(facts[name], members[name] as Json);
  return facts;
}

function omitDerived(members: JsonObject): JsonObject {
  const derived = new Set<string>(DERIVED);
  return Object.fromEntries(Object.entries(members).filter(([name]) => !derived.has(name)));
}

function detectPii(
  submitted: JsonObject,
  scrubber: Scrubber,
): { types: DetectionType[]; outputTypes: DetectionType[] } {
  const work = new Work(workLimits.scrubbing);
  const found = new Map<string, DetectionType[]>();
  for (const [name, value] of Object.entries(submitted))
    found.set(name, scrubber.scrubValue(value, work).detections);
  const types = [...new Set([...found.values()].flat())].sort();
  return { types, outputTypes: found.get('outputDecision') ?? [] };
}

function readInstant({ time }: JsonObject): Date | null {
  const instant = isObject(time) && Object.hasOwn(time, 'instant') ? time['instant'] : null;
  const milliseconds = typeof instant === 'string' ? parseInstant(instant) : null;
  return milliseconds === null ? null : new Date(milliseconds);
}

function mergeFact(derived: Json | undefined, fixtureValue: Json): Json {
  return isObject(derived) && isObject(fixtureValue)
    ? { ...derived, ...fixtureValue }
    : fixtureValue;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
