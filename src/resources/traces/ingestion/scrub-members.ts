// Scrubs a submitted decision member by member, and says which condition fields read a value that scrubbing changed.
import type { Parts } from '../../../domain/others-turn.ts';
import type { Json, JsonObject } from '../../../domain/record/json.ts';
import { factSourcesOf } from '../../../domain/policies/facts.ts';
import type { DetectionType } from '../../../domain/scrub/rule.ts';
import type { Scrubber } from '../../../domain/scrub/scrubber.ts';
import { Work, workLimits } from '../../../domain/work.ts';

export interface MemberScrubbers {
  scrubber: Scrubber;
  /** For `agentVersion`, in which four numbers joined by dots are a version and no address. */
  versionScrubber: Scrubber;
}

export interface ScrubbedMembers {
  members: JsonObject;
  /** Paths of what changed: the member's name and a JSON Pointer below it. */
  changed: string[];
  /** Sorted. */
  types: DetectionType[];
  /** Those found in `outputDecision`. */
  outputTypes: DetectionType[];
  /** False: the work of a decision was used up, and what was left of it is redacted. */
  isComplete: boolean;
}

/** Short and of a form that is read again, so scrubbed before a longer member can use up the work. */
const FIRST = ['agentId', 'agentVersion', 'schemaVersion', 'timestamp'];

/** Each member by itself, so that it is known what the output held; all by the work of one decision. */
export function* scrubMembers(
  submitted: JsonObject,
  { scrubber, versionScrubber }: MemberScrubbers,
): Parts<ScrubbedMembers> {
  const work = new Work(workLimits.scrubbing);
  const members: JsonObject = {};
  const changed: string[] = [];
  const types = new Set<DetectionType>();
  let outputTypes: DetectionType[] = [];
  const short = FIRST.filter((name) => Object.hasOwn(submitted, name));
  for (const name of new Set([...short, ...Object.keys(submitted)])) {
    const value = submitted[name] as Json;
    const chosen = name === 'agentVersion' ? versionScrubber : scrubber;
    const scrubbed = yield* chosen.parts(value, work);
    members[name] = scrubbed.value;
    for (const pointer of scrubbed.changed) changed.push(`${name}${pointer}`);
    for (const type of scrubbed.detections) types.add(type);
    if (name === 'outputDecision') outputTypes = scrubbed.detections;
  }
  const isComplete = work.left > 0;
  return { members, changed, types: [...types].sort(), outputTypes, isComplete };
}

/** The condition fields that read a changed value, or what is derived from one: there a replay cannot tell. */
export function scrubbedFields(fields: readonly string[], changed: readonly string[]): string[] {
  if (changed.length === 0) return [];
  const paths = changed.map((pointer) => pointer.split('/').map(unescaped).join('.'));
  return fields.filter((field) =>
    factSourcesOf(field).some((source) => paths.some((path) => overlap(path, source))),
  );
}

/** Whether one path leads to the other, or both to the same. */
function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/** RFC 6901. */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
