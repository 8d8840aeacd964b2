// Sealed values open only with their additional data and a known key; digests are bound in the same way.
import { expect, test } from 'vitest';
import { createVault } from '../../../src/platform/secrets/vault.ts';

const vault = createVault({ key: 'the present encryption key', formerKeys: [] });
const rotated = createVault({
  key: 'the next encryption key',
  formerKeys: ['the present encryption key'],
});

test('a sealed value opens with its additional data, and differs each time', () => {
  const [one, two] = [vault.encrypt('a secret', 'user 1'), vault.encrypt('a secret', 'user 1')];
  expect(one).not.toBe(two);
  expect(one).not.toContain(Buffer.from('a secret').toString('base64url'));
  expect([vault.decrypt(one, 'user 1'), vault.decrypt(two, 'user 1')]).toEqual([
    'a secret',
    'a secret',
  ]);
  expect(vault.decrypt(vault.encrypt('', 'user 1'), 'user 1')).toBe('');
});

test.each([
  ['another place', (sealed: string) => vault.decrypt(sealed, 'user 2')],
  [
    'another key',
    (sealed: string) => createVault({ key: 'another', formerKeys: [] }).decrypt(sealed, 'user 1'),
  ],
  [
    'a changed byte',
    (sealed: string) =>
      vault.decrypt(`${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`, 'user 1'),
  ],
  ['a cut value', (sealed: string) => vault.decrypt(sealed.slice(0, 20), 'user 1')],
  ['nothing', () => vault.decrypt('', 'user 1')],
])('it does not open with %s', (_, open) => {
  expect(() => open(vault.encrypt('a secret', 'user 1'))).toThrow('cannot decrypt a value');
});

test('a former key still opens values, but seals none', () => {
  expect(rotated.decrypt(vault.encrypt('a secret', 'user 1'), 'user 1')).toBe('a secret');
  expect(() => vault.decrypt(rotated.encrypt('a secret', 'user 1'), 'user 1')).toThrow(
    'cannot decrypt a value',
  );
});

test('a digest depends on text, additional data and key; former keys come after the current one', () => {
  const [digest] = vault.computeDigests('code', 'user 1');
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(vault.computeDigests('code', 'user 1')).toEqual([digest]);
  expect(vault.computeDigests('code', 'user 2')).not.toContain(digest);
  expect(vault.computeDigests('cod', 'euser 1')).not.toContain(digest);
  expect(rotated.computeDigests('code', 'user 1')[1]).toBe(digest);
});
