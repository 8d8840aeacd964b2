// Whether an observed call is the action that a decision guards, by the commitment that binds its approval.
import { isJsonObject, type Json } from '@assay/json';
import type { ReportedAction } from '@assay/otlp-decisions';
import { commitEditedAction, commitRawAction, hashAction } from '../actions/proposed-action.ts';

interface Bound {
  commitment: string;
  salt: string;
}

/** What a decision binds its action to; null: nothing, since it was corrected or erased. */
export interface BoundAction {
  raw: Bound | null;
  /** That of the edits of its approval, which is in force instead. */
  edited: Bound | null;
  /** As it is stored, scrubbed; null: it is not stored. */
  stored: Json;
}

/** The digest of the bound action; undefined: it is another action. A span without arguments is known by its tool. */
export function findBoundDigest(
  act: ReportedAction,
  bound: BoundAction,
): string | null | undefined {
  const digest = listActions(act, bound.stored)
    .map((action) => hashAction(action) ?? '')
    .find((candidate) => isBound(candidate, bound));
  if (digest !== undefined) return digest;
  const isKnown = act.arguments === undefined && (bound.edited ?? bound.raw) !== null;
  return isKnown && readTool(bound.stored) === act.tool ? null : undefined;
}

/** The forms in which an agent may have proposed it: alone, or with the further members of the stored action. */
function listActions({ tool, arguments: given }: ReportedAction, stored: Json): Json[] {
  const { arguments: _, ...further } = isJsonObject(stored) ? stored : {};
  const isEmpty = isJsonObject(given) && Object.keys(given).length === 0;
  if (given === undefined) return [tool, { ...further, tool }];
  const whole = { ...further, tool, arguments: given };
  return isEmpty ? [whole, { ...further, tool }] : [whole];
}

function isBound(digest: string, { raw, edited }: BoundAction): boolean {
  if (edited) return commitEditedAction(digest, edited.salt) === edited.commitment;
  return raw !== null && commitRawAction(digest, raw.salt) === raw.commitment;
}

function readTool(stored: Json): Json {
  return isJsonObject(stored) ? (stored['tool'] ?? null) : stored;
}
