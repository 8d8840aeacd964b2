// The states of an impact assessment, their transitions, and the requirements of each (document 3, section 3).

export const ASSESSMENT_STATUSES = ['draft', 'review', 'approved', 'archived'] as const;
export type AssessmentStatus = (typeof ASSESSMENT_STATUSES)[number];

const MOVES: Readonly<Record<AssessmentStatus, readonly AssessmentStatus[]>> = {
  draft: ['review', 'archived'],
  review: ['approved', 'archived'],
  approved: ['draft', 'archived'],
  archived: [],
};

export const listMoves = (from: AssessmentStatus): readonly AssessmentStatus[] => MOVES[from];

export function mayMove(from: AssessmentStatus, to: AssessmentStatus): boolean {
  return MOVES[from].includes(to);
}

export function isEditable(status: AssessmentStatus): boolean {
  return status === 'draft' || status === 'review';
}

/** Approving and undoing an approval are reserved to the person accountable for the organisation. */
export function isApproverOnly(from: AssessmentStatus, to: AssessmentStatus): boolean {
  return to === 'approved' || from === 'approved';
}

/** Whether the move records an anchor of the contents. */
export function isAnchored(to: AssessmentStatus): boolean {
  return to === 'review' || to === 'approved';
}
