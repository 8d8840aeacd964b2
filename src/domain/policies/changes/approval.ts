// The states of a policy approval: which action leads where, and whose it is (document 2, section 3; decisions: approvals).
import { MANAGERS, WRITERS, type Role } from '../../identity/roles.ts';

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

/** What its author does before others act. */
export const AUTHOR_STEPS = ['open', 'update'] as const;

/** Those that wait for somebody to propose, review or enforce them. */
export const OPEN_STATES = [
  'draft',
  'pending_review',
  'approved_pending_enforcement',
] as const satisfies readonly ApprovalState[];

/** Who has done what so far; ids of users. */
export interface Involved {
  author: string;
  reviewer: string | null;
  /** Who promoted it, or broke the glass. */
  enforcer: string | null;
}

interface Rule {
  /** Where the action leads, by the state it is allowed in. */
  leads: Partial<Record<ApprovalState, ApprovalState>>;
  roles: readonly Role[];
  /** What keeps this person from it; null: nothing. */
  conflict: (userId: string, involved: Involved) => string | null;
}

/** Whoever decides about decisions decides about what decides. */
const REVIEWERS: readonly Role[] = [...MANAGERS, 'reviewer'];

const notAgain = (userId: string, { author, enforcer }: Involved): string | null => {
  if (userId === author) return 'Nobody reviews a change of their own';
  return userId === enforcer ? 'Nobody reviews what they enforced' : null;
};
const notBefore = (userId: string, { author, reviewer }: Involved): string | null => {
  if (userId === author) return 'Nobody enforces a change of their own';
  return userId === reviewer ? 'Nobody enforces what they reviewed' : null;
};
const authorOnly = (userId: string, { author }: Involved): string | null =>
  userId === author ? null : 'Only its author withdraws a change';

const RULES: Readonly<Record<ApprovalAction, Rule>> = {
  'reviewer-approve': {
    leads: { pending_review: 'approved_pending_enforcement', broken_glass: 'promoted' },
    roles: REVIEWERS,
    conflict: notAgain,
  },
  'reviewer-reject': {
    leads: { pending_review: 'rejected', broken_glass: 'rejected' },
    roles: REVIEWERS,
    conflict: notAgain,
  },
  'enforcer-promote': {
    leads: { approved_pending_enforcement: 'promoted' },
    roles: MANAGERS,
    conflict: notBefore,
  },
  'enforcer-reject': {
    leads: { approved_pending_enforcement: 'rejected' },
    roles: MANAGERS,
    conflict: notBefore,
  },
  'author-withdraw': {
    leads: {
      draft: 'withdrawn',
      pending_review: 'withdrawn',
      approved_pending_enforcement: 'withdrawn',
    },
    roles: WRITERS,
    conflict: authorOnly,
  },
  'break-glass': {
    leads: { pending_review: 'broken_glass', approved_pending_enforcement: 'broken_glass' },
    roles: MANAGERS,
    conflict: () => null,
  },
};

/** Whether a role may ever take an action: that is refused before anything is said of a change. */
export function mayTake(action: ApprovalAction, role: Role): boolean {
  return RULES[action].roles.includes(role);
}

/** Where an action leads, or why it does not: `person` is the wrong one, or it is the wrong moment. */
export type ApprovalMove = { to: ApprovalState } | { refused: 'person' | 'moment'; why: string };

/** Role before state, state before the separation of duties. */
export function approvalMove(
  action: ApprovalAction,
  { state, involved }: { state: ApprovalState; involved: Involved },
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
