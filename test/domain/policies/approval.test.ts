// The states of a policy approval: every action in every state, by every user who could be involved.
import { expect, test } from 'vitest';
import { ROLES } from '../../../src/domain/identity/roles.ts';
import {
  APPROVAL_ACTIONS,
  APPROVAL_STATES,
  resolveApprovalMove,
  type ApprovalAction,
  type ApprovalState,
} from '../../../src/domain/policies/changes/approval.ts';

/** The allowed actions by state, as the interface and the decisions say; everything else is the wrong moment. */
const LEADS: readonly (readonly [ApprovalAction, ApprovalState, ApprovalState])[] = [
  ['reviewer-approve', 'pending_review', 'approved_pending_enforcement'],
  ['reviewer-approve', 'broken_glass', 'promoted'],
  ['reviewer-reject', 'pending_review', 'rejected'],
  ['reviewer-reject', 'broken_glass', 'rejected'],
  ['enforcer-promote', 'approved_pending_enforcement', 'promoted'],
  ['enforcer-reject', 'approved_pending_enforcement', 'rejected'],
  ['author-withdraw', 'draft', 'withdrawn'],
  ['author-withdraw', 'pending_review', 'withdrawn'],
  ['author-withdraw', 'approved_pending_enforcement', 'withdrawn'],
  ['break-glass', 'pending_review', 'broken_glass'],
  ['break-glass', 'approved_pending_enforcement', 'broken_glass'],
];
const ROLES_OF: Readonly<Record<ApprovalAction, readonly string[]>> = {
  'reviewer-approve': ['owner', 'admin', 'reviewer'],
  'reviewer-reject': ['owner', 'admin', 'reviewer'],
  'enforcer-promote': ['owner', 'admin'],
  'enforcer-reject': ['owner', 'admin'],
  'author-withdraw': ['owner', 'admin', 'reviewer', 'member'],
  'break-glass': ['owner', 'admin'],
};
const involved = { author: 'ada', reviewer: 'rex', enforcer: 'eve' };
/** A user who may take the action, as far as duties are separated. */
const free = (action: ApprovalAction): string => (action === 'author-withdraw' ? 'ada' : 'sam');

test('every action leads from its states where it should, and nowhere from the others', () => {
  for (const action of APPROVAL_ACTIONS)
    for (const state of APPROVAL_STATES) {
      const user = { userId: free(action), role: 'owner' } as const;
      const [, , to] = LEADS.find(([of, from]) => of === action && from === state) ?? [];
      const found = resolveApprovalMove(action, { state, involved }, user);
      expect(found, `${action} in ${state}`).toMatchObject(to ? { to } : { refused: 'moment' });
    }
});

test('an action is for its roles, whatever the state', () => {
  for (const [action, state] of LEADS)
    for (const role of ROLES) {
      const found = resolveApprovalMove(
        action,
        { state, involved },
        { userId: free(action), role },
      );
      const isFor = ROLES_OF[action].includes(role);
      expect('to' in found, `${action} by ${role}`).toBe(isFor);
      if (!isFor) expect(found).toMatchObject({ refused: 'person' });
    }
});

test('no user reviews or enforces their own, enforces what they reviewed, or reviews what they enforced', () => {
  const by = (action: ApprovalAction, state: ApprovalState, userId: string) =>
    resolveApprovalMove(action, { state, involved }, { userId, role: 'owner' });
  const person = { refused: 'person' };
  for (const action of ['reviewer-approve', 'reviewer-reject'] as const) {
    expect(by(action, 'pending_review', 'ada')).toMatchObject(person);
    expect(by(action, 'broken_glass', 'ada')).toMatchObject(person);
    expect(by(action, 'broken_glass', 'eve')).toMatchObject(person);
    expect(by(action, 'broken_glass', 'rex')).not.toMatchObject(person);
  }
  for (const action of ['enforcer-promote', 'enforcer-reject'] as const) {
    expect(by(action, 'approved_pending_enforcement', 'ada')).toMatchObject(person);
    expect(by(action, 'approved_pending_enforcement', 'rex')).toMatchObject(person);
  }
  expect(by('author-withdraw', 'pending_review', 'sam')).toMatchObject(person);
  for (const userId of ['ada', 'rex', 'sam'])
    expect(by('break-glass', 'approved_pending_enforcement', userId)).toEqual({
      to: 'broken_glass',
    });
});
