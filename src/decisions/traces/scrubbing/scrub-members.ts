// Scrubs a submitted decision member by member, and says which condition fields read a value that scrubbing changed.
import { parsePointer, type Json, type JsonObject } from '@assay/json';
import type { DetectionType, Scrubber } from '@assay/scrub';
import { Work, workLimits } from '@assay/patterns';
import { listFactSources } from '@assay/policy';

export interface MemberScrubbers {
  scrubber: Scrubber;
  /** Scrubs `agentVersion`, in which four numbers joined by dots are a version and not an IP address. */
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
  /** False if the work budget of the decision was used up and the rest was redacted. */
  isComplete: boolean;
}

/** Short members that are parsed later: scrubbed first, before a longer member can use up the budget. */
const FIRST = [
  'agentId',
  'agentVersion',
  'schemaVersion',
  'timestamp',
  'sessionId',
  'parentTraceId',
];

/** Scrubs each member by itself, to report findings in the output; all share the work budget of one decision. */
export function scrubMembers(
  submitted: JsonObject,
  { scrubber, versionScrubber }: MemberScrubbers,
): ScrubbedMembers {
  const work = new Work(workLimits.scrubbing);
  const members: JsonObject = {};
  const changed: string[] = [];
  const types = new Set<DetectionType>();
  let outputTypes: DetectionType[] = [];
  const short = FIRST.filter((name) => Object.hasOwn(submitted, name));
  for (const name of new Set([...short, ...Object.keys(submitted)])) {
    const value = submitted[name] as Json;
    const chosen = name === 'agentVersion' ? versionScrubber : scrubber;
    const scrubbed = chosen.scrubValue(value, work);
    members[name] = scrubbed.value;
    for (const pointer of scrubbed.changed) changed.push(`${name}${pointer}`);
    for (const type of scrubbed.detections) types.add(type);
    if (name === 'outputDecision') outputTypes = scrubbed.detections;
  }
  const isComplete = work.left > 0;
  return { members, changed, types: [...types].sort(), outputTypes, isComplete };
}

/** Condition fields that read a changed value or derive from one: a policy replay cannot evaluate them. */
export function findScrubbedFields(
  fields: readonly string[],
  changed: readonly string[],
): string[] {
  if (changed.length === 0) return [];
  const paths = changed.map((pointer) => parsePointer(pointer).join('.'));
  return fields.filter((field) =>
    listFactSources(field).some((source) => paths.some((path) => hasOverlap(path, source))),
  );
}

/** Whether the paths are equal or one contains the other. */
function hasOverlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}
