// The list of common passwords: complete, limited to passwords that the rule would accept, and case-insensitive.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isCommonPassword } from '../../../src/domain/identity/common-passwords.ts';
import { newPassword } from '../../../src/http/declaration/views.ts';

const common = readFileSync('src/domain/identity/common-passwords.txt', 'utf8')
  .trimEnd()
  .split('\n');

/** The same password with one capital, as people write it when one is required. */
const capitalised = (password: string): string =>
  password.replace(/[a-z]/, (letter) => letter.toUpperCase());

test('there are 3,000, each once, in lower case', () => {
  expect(common).toHaveLength(3000);
  expect(new Set(common).size).toBe(3000);
  expect(common.filter((password) => password !== password.toLowerCase())).toEqual([]);
});

test('each would pass the rule in some case, and is refused by the list alone', () => {
  const issues = common.flatMap((password) => {
    const parsed = newPassword.safeParse(capitalised(password));
    return parsed.error?.issues.map(({ message }) => message) ?? ['accepted'];
  });
  expect(issues).toHaveLength(3000);
  expect(new Set(issues)).toEqual(new Set(['is too common']));
});

test.each([
  'Password123',
  'PASSWORD123',
  'pAssword1234',
  'Qwerty12345',
  '1Q2w3E4r5T',
  'Summer2024',
  'Welcome@123',
])('%s is one of them', (password) => expect(isCommonPassword(password)).toBe(true));

test.each(['Correct-Horse-9', 'Password123x', ' Password123', 'Abcdefgh1j', 'ÄбгдежзийΩ1'])(
  '%s is none of them',
  (password) => expect(isCommonPassword(password)).toBe(false),
);
