// The states of a policy approval: which action leads where, and whose it is (document 2, section 3; decisions: approvals).
import { MANAGERS, REVIEWERS, WRITERS, type Role } from '../../identity/roles.ts';

export const APPROVAL_STATES = [
  'draft',
  'pending_review',
  'approved_pending_enforcement',
  'promoted',
  'rejected',
  'withdrawn',
  'broken_glass',
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const APPROVAL_ACTIONS = [
  'reviewer-approve',
  'reviewer-reject',
  'enforcer-promote',
  'enforcer-reject',
  'author-withdraw',
  'break-glass',
] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

/** Actions of the author before others act. */
export const AUTHOR_STEPS = ['open', 'update'] as const;

/** States that wait for a proposal, a review or an enforcement. */
export const OPEN_STATES = [
  'draft',
  'pending_review',
  'approved_pending_enforcement',
] as const satisfies readonly ApprovalState[];

/** Who has done what so far; ids of users. */
export interface ApprovalParties {
  author: string;
  reviewer: string | null;
  /** Who promoted it, or broke the glass. */
  enforcer: string | null;
}

interface Rule {
  /** Where the action leads, by the state it is allowed in. */
  leads: Partial<Record<ApprovalState, ApprovalState>>;
  roles: readonly Role[];
  /** Why this user may not take the action; null when they may. */
  conflict: (userId: string, involved: ApprovalParties) => string | null;
}

const findReviewerConflict = (
  userId: string,
  { author, enforcer }: ApprovalParties,
): string | null => {
  if (userId === author) return 'Authors cannot review their own changes';
  return userId === enforcer ? 'Enforcers cannot review what they enforced' : null;
};
const findEnforcerConflict = (
  userId: string,
  { author, reviewer }: ApprovalParties,
): string | null => {
  if (userId === author) return 'Authors cannot enforce their own changes';
  return userId === reviewer ? 'Reviewers cannot enforce what they reviewed' : null;
};
const findAuthorConflict = (userId: string, { author }: ApprovalParties): string | null =>
  userId === author ? null : 'Only its author withdraws a change';

const RULES: Readonly<Record<ApprovalAction, Rule>> = {
  'reviewer-approve': {
    leads: { pending_review: 'approved_pending_enforcement', broken_glass: 'promoted' },
    roles: REVIEWERS,
    conflict: findReviewerConflict,
  },
  'reviewer-reject': {
    leads: { pending_review: 'rejected', broken_glass: 'rejected' },
    roles: REVIEWERS,
    conflict: findReviewerConflict,
  },
  'enforcer-promote': {
    leads: { approved_pending_enforcement: 'promoted' },
    roles: MANAGERS,
    conflict: findEnforcerConflict,
  },
  'enforcer-reject': {
    leads: { approved_pending_enforcement: 'rejected' },
    roles: MANAGERS,
    conflict: findEnforcerConflict,
  },
  'author-withdraw': {
    leads: {
      draft: 'withdrawn',
      pending_review: 'withdrawn',
      approved_pending_enforcement: 'withdrawn',
    },
    roles: WRITERS,
    conflict: findAuthorConflict,
  },
  'break-glass': {
    leads: { pending_review: 'broken_glass', approved_pending_enforcement: 'broken_glass' },
    roles: MANAGERS,
    conflict: () => null,
  },
};

/** Whether a role may ever take an action; checked first, so that a refusal reveals nothing about a change. */
export function mayTake(action: ApprovalAction, role: Role): boolean {
  return RULES[action].roles.includes(role);
}

/** The next state, or why the action is refused: the wrong `person` or the wrong `moment`. */
export type ApprovalMove = { to: ApprovalState } | { refused: 'person' | 'moment'; why: string };

/** Checks the role first, then the state, then the separation of duties. */
export function resolveApprovalMove(
  action: ApprovalAction,
  { state, involved }: { state: ApprovalState; involved: ApprovalParties },
  { userId, role }: { userId: string; role: Role },
): ApprovalMove {
  const { leads, conflict } = RULES[action];
  if (!mayTake(action, role)) return { refused: 'person', why: `${action} is not for this role` };
  const to = leads[state];
  if (to === undefined) return { refused: 'moment', why: `${action} is not possible in ${state}` };
  const why = conflict(userId, involved);
  return why === null ? { to } : { refused: 'person', why };
}

/** Whether an action puts the change into force. */
export function isEnforcing(action: ApprovalAction): boolean {
  return action === 'enforcer-promote' || action === 'break-glass';
}
