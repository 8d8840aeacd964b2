// Whose confirmation lets a weakening of a control take effect.
import { expect, test } from 'vitest';
import {
  REQUEST_TTL_MS,
  OWNER_WAIT_MS,
  decideConfirmation,
} from '../../../src/domain/dual-control/second-word.ts';
import type { Role } from '../../../src/domain/identity/roles.ts';

const START = Date.UTC(2026, 0, 10);
const pendingRequest = { by: 'ada', at: new Date(START) };
const toRequester = (userId: string, role: Role, joinedMs = START - 1) => ({
  userId,
  role,
  memberSince: new Date(joinedMs),
});

test.each([
  ['no request before', null, toRequester('ada', 'owner'), 0, 'asked'],
  ['a second admin', pendingRequest, toRequester('eve', 'admin'), 1, 'given'],
  [
    'the same admin, however late',
    pendingRequest,
    toRequester('ada', 'admin'),
    OWNER_WAIT_MS + 1,
    'waits',
  ],
  ['the same owner at once', pendingRequest, toRequester('ada', 'owner'), 1, 'waits'],
  [
    'the same owner just before',
    pendingRequest,
    toRequester('ada', 'owner'),
    OWNER_WAIT_MS - 1,
    'waits',
  ],
  [
    'the same owner who has waited',
    pendingRequest,
    toRequester('ada', 'owner'),
    OWNER_WAIT_MS,
    'given',
  ],
  ['an admin who joined since', pendingRequest, toRequester('eve', 'admin', START + 1), 2, 'waits'],
  [
    'an owner who joined at that moment',
    pendingRequest,
    toRequester('eve', 'owner', START),
    2,
    'waits',
  ],
  [
    'a second admin at the end',
    pendingRequest,
    toRequester('eve', 'admin'),
    REQUEST_TTL_MS,
    'given',
  ],
  [
    'a second admin too late',
    pendingRequest,
    toRequester('eve', 'admin'),
    REQUEST_TTL_MS + 1,
    'asked',
  ],
  ['the owner too late', pendingRequest, toRequester('ada', 'owner'), REQUEST_TTL_MS + 1, 'asked'],
] as const)('%s', (_, before, who, afterMs, word) => {
  expect(decideConfirmation(before, who, { now: new Date(START + afterMs) })).toBe(word);
});
