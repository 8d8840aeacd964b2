// The claims of an identity provider that are a verified address.
import { expect, test } from 'vitest';
import {
  readEmailClaim,
  readVerifiedEmail,
} from '../../../../src/domain/identity/addresses/verified-email.ts';

const email = 'Ada@Example.com';
const table: [object, string | undefined, string | null][] = [
  [{ email, email_verified: true }, undefined, 'ada@example.com'],
  [{ email, email_verified: true }, 'edov', 'ada@example.com'],
  [{ email }, undefined, null],
  [{ email, email_verified: false }, undefined, null],
  [{ email, email_verified: 'true' }, undefined, null],
  [{ email, email_verified: 1 }, undefined, null],
  [{ email, edov: true }, undefined, null],
  [{ email, edov: true }, 'edov', 'ada@example.com'],
  [{ email, edov: '1' }, 'edov', 'ada@example.com'],
  [{ email, edov: false }, 'edov', null],
  [{ email, edov: {} }, 'edov', null],
  [{ email, email_verified: false, edov: true }, 'edov', null],
  [{ email_verified: true }, undefined, null],
];
test.for(table)('%j, %s: %s', ([claims, edovClaim, address]) => {
  expect(readVerifiedEmail(claims as Record<string, unknown>, edovClaim)).toBe(address);
});

test.for([
  '',
  'a',
  '@b',
  'a@',
  'a b@c',
  'a@b@c',
  'a@b\n',
  7,
  null,
  undefined,
  ['a@b'],
  `${'a'.repeat(250)}@b.c.d`,
])('is no address: %j', (claim) => {
  expect(readEmailClaim(claim)).toBeNull();
});
