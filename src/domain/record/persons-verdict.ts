// Verdicts of persons on a decision, as opposed to approvals by the service and mere claims of a key (cpi.md).
import type { CorrectionPayload, ReviewPayload } from './payload.ts';
import { WITHDRAWN } from '../review/review-end.ts';

/** Kinds of entries that hold a verdict. */
export const VERDICT_KINDS = ['review', 'correction'] as const;

/**
 * The commitment in corrections by a key that may submit verdicts of persons: it proves this even after the key is
 * deleted.
 */
export const CAPABILITY = 'capability';

const BY_USER = '"kind":"user"\\}';
/** Members are in canonical order, so the capability is the first commitment. */
const BY_CAPABLE_KEY = `"kind":"workspaceKey"},"after":\\{[^}]*\\},"commitments":\\{"${CAPABILITY}":`;

/**
 * A partial filter on canonical payloads: by a signed-in user, or by a key minted for feedback. A withdrawal says
 * nothing about the decision. No member of a payload is free text, so the name can only be that of the commitment.
 */
export const BY_PERSONS = {
  view: new RegExp(
    `^(?!.*"${WITHDRAWN}":)\\{(?:"action":"[a-z]+",)?"actor":\\{"id":"[0-9a-f]{24}",(?:${BY_USER}|${BY_CAPABLE_KEY})`,
  ),
} as const;

export function isByPerson(view: string): boolean {
  return BY_PERSONS.view.test(view);
}

export interface PersonsVerdict {
  /** Approved without a change. */
  isRight: boolean;
  isOverride: boolean;
  /** The user, or the key by which one judged. */
  actorId: string;
}

/** Reads the canonical payload of a verdict. */
export function readPersonsVerdict(view: string): PersonsVerdict {
  const payload = JSON.parse(view) as ReviewPayload | CorrectionPayload;
  const said = payload.kind === 'review' ? payload.decision : payload.action;
  const isEdited = Object.hasOwn(payload.commitments, 'edits');
  return {
    isRight: said === 'approve' && !isEdited,
    isOverride: payload.set.humanOverride === true,
    actorId: payload.actor.id ?? '',
  };
}
