// What a person said of a decision, told apart from approvals of the service and from what a key only claims (docs/cpi.md).
import type { CorrectionPayload, ReviewPayload } from './payload.ts';

/** Kinds of entries that hold a verdict. */
export const VERDICT_KINDS = ['review', 'correction'] as const;

/** The commitment of a correction whose key may give the verdicts of persons: the entry proves it, also when the key is gone. */
export const CAPABILITY = 'capability';

const BY_USER = '"kind":"user"\\}';
/** Members are in canonical order, so the capability is the first commitment. */
const BY_CAPABLE_KEY = `"kind":"workspaceKey"},"after":\\{[^}]*\\},"commitments":\\{"${CAPABILITY}":`;

/** Part of a filter on canonical payloads: by a signed-in person, or by a key that was minted for feedback. */
export const BY_PERSONS = {
  view: new RegExp(
    `^\\{(?:"action":"[a-z]+",)?"actor":\\{"id":"[0-9a-f]{24}",(?:${BY_USER}|${BY_CAPABLE_KEY})`,
  ),
} as const;

export function isByPerson(view: string): boolean {
  return BY_PERSONS.view.test(view);
}

export interface PersonsVerdict {
  /** Approved as it was. */
  isRight: boolean;
  isOverride: boolean;
}

/** Of the canonical payload of a verdict. */
export function verdictIn(view: string): PersonsVerdict {
  const payload = JSON.parse(view) as ReviewPayload | CorrectionPayload;
  const said = payload.kind === 'review' ? payload.decision : payload.action;
  return { isRight: said === 'approve', isOverride: payload.set.humanOverride === true };
}
