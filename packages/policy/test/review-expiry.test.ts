// Whose expiry counts, what several policies agree on, and how long an approval may be acted on.
import { expect, test } from 'vitest';
import {
  chooseExpiry,
  findExpiryProblem,
  isApprovalUsable,
  isLapsed,
  joinExpiries,
  readConfiguredExpiry,
} from '../src/review/review-expiry.ts';

const approving = { expiresIn: 60, onExpiry: 'approve' } as const;
const rejecting = { expiresIn: 120, onExpiry: 'reject' } as const;
const none = { requested: null, policy: null, workspace: null };

test.each([
  ['nothing is set', none, null],
  [
    'the workspace alone',
    { ...none, workspace: { expiresIn: 9 } },
    { expiresIn: 9, onExpiry: 'reject' },
  ],
  ['policy over workspace', { ...none, policy: approving, workspace: { expiresIn: 9 } }, approving],
  [
    'request over policy, which then approves nothing',
    { requested: { expiresIn: 7 }, policy: approving, workspace: { expiresIn: 9 } },
    { expiresIn: 7, onExpiry: 'reject' },
  ],
])('%s', (_, sources, chosen) => {
  expect(chooseExpiry(sources)).toEqual(chosen);
});

test.each([
  ['no policy', [], null],
  ['none with an expiry', [null, null], null],
  ['one', [approving], approving],
  [
    'the earliest of two that disagree',
    [approving, rejecting],
    { expiresIn: 60, onExpiry: 'reject' },
  ],
  ['one beside one without', [approving, null], { expiresIn: 60, onExpiry: 'reject' }],
  ['two that agree', [approving, { ...approving, expiresIn: 30 }], { ...approving, expiresIn: 30 }],
] as const)('policies: %s', (_, expiries, joined) => {
  expect(joinExpiries(expiries)).toEqual(joined);
});

test.each([
  [undefined, null],
  [{}, null],
  [{ expiresIn: 60 }, { expiresIn: 60, onExpiry: 'reject' }],
  [{ expiresIn: 60, onExpiry: 'approve' }, approving],
  [{ expiresIn: '60' }, null],
  [{ expiresIn: 0 }, null],
  [{ expiresIn: 2_592_001 }, null],
  [{ expiresIn: 60, onExpiry: 'maybe' }, null],
])('the config %j sets %j', (config, expiry) => {
  expect(readConfiguredExpiry(config)).toEqual(expiry);
  const isPlain = config === undefined || Object.keys(config).length === 0;
  if (!isPlain) expect(findExpiryProblem(config) === null).toBe(expiry !== null);
});

const end = new Date('2026-05-04T12:00:00Z');
const [before, at] = [new Date(end.getTime() - 1), end];

test.each([
  ['pending before its end', { status: 'pending', expiresAt: end }, before, false],
  ['pending at its end', { status: 'pending', expiresAt: end }, at, true],
  ['pending without one', { status: 'pending' }, at, false],
  ['approved at its end', { status: 'approved', expiresAt: end }, at, false],
])('lapsed: %s', (_, item, now, isOver) => {
  expect(isLapsed(item, now)).toBe(isOver);
});

test.each([
  ['before the end', { status: 'approved', expiresAt: end }, before, true],
  ['at the end', { status: 'approved', expiresAt: end }, at, false],
  ['without an end', { status: 'approved' }, at, true],
  [
    'by lapse, after the end',
    { status: 'approved', expiresAt: end, onExpiry: 'approve' },
    at,
    true,
  ],
  ['not approved', { status: 'pending', expiresAt: end }, before, false],
  ['expired', { status: 'expired', expiresAt: end }, before, false],
] as const)('an approval may be acted on: %s', (_, item, now, isUsable) => {
  expect(isApprovalUsable(item, now)).toBe(isUsable);
});
