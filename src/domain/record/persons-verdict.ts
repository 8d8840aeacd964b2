// What a person said of a decision, told apart from what the service approved by a pattern.
import type { CorrectionPayload, ReviewPayload } from './payload.ts';

/** Kinds of entries that hold the verdict of a person, but for approvals of the service. */
export const VERDICT_KINDS = ['review', 'correction'] as const;

/** Part of a filter: the canonical payload of an approval by the service begins with its actor. */
export const BY_PERSONS = { view: { $not: /^\{"actor":\{"id":null,"kind":"system"\}/ } } as const;

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
