// Whose confirmation lets a weakening of a control take effect.
import { expect, test } from 'vitest';
import { ASKED_FOR_MS, OWNER_WAITS_MS, wordOn } from '../../../src/domain/control/second-word.ts';
import type { Role } from '../../../src/domain/identity/roles.ts';

const START = Date.UTC(2026, 0, 10);
const asked = { by: 'ada', at: new Date(START) };
const asker = (userId: string, role: Role, joinedMs = START - 1) => ({
  userId,
  role,
  memberSince: new Date(joinedMs),
});

test.each([
  ['no request before', null, asker('ada', 'owner'), 0, 'asked'],
  ['a second admin', asked, asker('eve', 'admin'), 1, 'given'],
  ['the same admin, however late', asked, asker('ada', 'admin'), OWNER_WAITS_MS + 1, 'waits'],
  ['the same owner at once', asked, asker('ada', 'owner'), 1, 'waits'],
  ['the same owner just before', asked, asker('ada', 'owner'), OWNER_WAITS_MS - 1, 'waits'],
  ['the same owner who has waited', asked, asker('ada', 'owner'), OWNER_WAITS_MS, 'given'],
  ['an admin who joined since', asked, asker('eve', 'admin', START + 1), 2, 'waits'],
  ['an owner who joined at that moment', asked, asker('eve', 'owner', START), 2, 'waits'],
  ['a second admin at the end', asked, asker('eve', 'admin'), ASKED_FOR_MS, 'given'],
  ['a second admin too late', asked, asker('eve', 'admin'), ASKED_FOR_MS + 1, 'asked'],
  ['the owner too late', asked, asker('ada', 'owner'), ASKED_FOR_MS + 1, 'asked'],
] as const)('%s', (_, before, who, afterMs, word) => {
  expect(wordOn(before, who, new Date(START + afterMs))).toBe(word);
});
