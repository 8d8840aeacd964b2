// Managers see whole addresses of receivers, others only their origin.
import { expect, test } from 'vitest';
import { toOrigin, maySeeAddresses } from '../../../src/domain/dual-control/receiver-addresses.ts';
import type { Tenant, User } from '../../../src/domain/identity/tenant.ts';
import type { Role } from '../../../src/domain/identity/roles.ts';

const tenant = { agentIds: null } as Tenant;
const user = (role: Role, isActive = true): User => ({ role, isActive }) as User;

test.each([
  ['an owner', user('owner'), true],
  ['an admin', user('admin'), true],
  ['a reviewer', user('reviewer'), false],
  ['a member', user('member'), false],
  ['a viewer', user('viewer'), false],
  ['an auditor', user('auditor'), false],
  ['an admin whom the directory has deactivated', user('admin', false), false],
  ['a key', undefined, false],
] as const)('%s: %#', (_, who, sees) => {
  expect(maySeeAddresses({ tenant, user: who })).toBe(sees);
});

test.each([
  ['https://hooks.example.com/services/T0/B0/x', 'https://hooks.example.com'],
  [`https://${'name:secret'}@hooks.example.com/`, 'https://hooks.example.com'],
  ['https://hooks.example.com:8443/?key=secret#secret', 'https://hooks.example.com:8443'],
  ['https://HOOKS.example.com', 'https://hooks.example.com'],
  ['not an address', ''],
])('of %s is shown %s', (url, shown) => {
  expect(toOrigin(url)).toBe(shown);
});
