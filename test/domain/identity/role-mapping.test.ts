// The role that an organisation's rules give to a user at provisioning or sign-on.
import { expect, test } from 'vitest';
import { decideRole, type RoleRule } from '../../../src/domain/identity/role-mapping.ts';

const rules: RoleRule[] = [
  { pattern: '^assay-owners$', role: 'owner' },
  { pattern: '(?i)admins?$', role: 'admin' },
  { pattern: '^audit', role: 'auditor' },
];

test.each([
  [['assay-owners'], 'owner'],
  [['Cloud Admins', 'assay-owners'], 'owner'],
  [['cloud ADMIN'], 'admin'],
  [['auditors'], 'auditor'],
  [['not-assay-owners'], 'member'],
  [['/assay-owners'], 'owner'],
  [['/audit'], 'auditor'],
  [['//assay-owners'], 'member'],
  [['/sub/assay-owners'], 'member'],
  [[], 'member'],
])('%j is %s', (groups, role) => {
  expect(decideRole(groups, rules).role).toBe(role);
});

test('the decision names the rule and the group; the default names none', () => {
  expect(decideRole(['x', 'Admins'], rules)).toEqual({
    role: 'admin',
    matched: { pattern: '(?i)admins?$', group: 'Admins' },
  });
  expect(decideRole(['x'], rules)).toEqual({ role: 'member', matched: null });
});

test('the first matching rule decides, and a refused pattern matches no group', () => {
  const more: RoleRule[] = [
    { pattern: '(a+)+\\1', role: 'owner' },
    { pattern: '', role: 'owner' },
    ...rules,
  ];
  expect(decideRole(['aaaa', 'admin'], more).role).toBe('admin');
  expect(decideRole(['aaaa', 'admin'], [{ pattern: 'a', role: 'viewer' }, ...rules]).role).toBe(
    'viewer',
  );
});

test('a hostile pattern on a long name is linear work', () => {
  const { role } = decideRole([`${'a'.repeat(256)}!`], [{ pattern: '^(a|a)*$', role: 'owner' }]);
  expect(role).toBe('member');
});

test('rules that exceed the work limit decide nothing, and report it', () => {
  const groups = Array.from({ length: 9000 }, (_, n) => `${'a'.repeat(250)}${n}`);
  const heavy: RoleRule[] = [{ pattern: '(a|b|aa)*(c|d)?x$', role: 'owner' }];
  expect(decideRole([...groups, 'x'], heavy)).toEqual({
    role: 'member',
    matched: null,
    isUndecided: true,
  });
});
