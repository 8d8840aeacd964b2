// Every insecure setting is reported, and nothing else.
import { expect, test } from 'vitest';
import { describeOpenings } from '../../src/platform/observability/openings.ts';

const CLOSED = {
  REGISTRATION: 'invite',
  DEFAULT_PLAN: 'sandbox',
  SMTP_URL: 'smtp://mail.example.com',
  requireVerifiedEmail: true,
  production: true,
  KEY_STORE_URI: 'mongodb://keys.example.com',
} as const;

test('a secure installation reports nothing', () => {
  expect(describeOpenings(CLOSED)).toEqual([]);
});

test.for([
  [{ REGISTRATION: 'open' }, 'REGISTRATION'],
  [{ requireVerifiedEmail: false }, 'ASSAY_REQUIRE_VERIFIED_EMAIL'],
  [{ SMTP_URL: undefined }, 'SMTP_URL'],
  [{ KEY_STORE_URI: undefined }, 'KEY_STORE_URI'],
] as const)('%j is reported with the name of the variable that fixes it', ([change, name]) => {
  const lines = describeOpenings(Object.assign({}, CLOSED, change));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(name);
});

test('open registration is reported with the plan of new organisations', () => {
  const open = { REGISTRATION: 'open', DEFAULT_PLAN: 'enterprise' } as const;
  expect(describeOpenings(Object.assign({}, CLOSED, open))[0]).toContain('enterprise');
});
