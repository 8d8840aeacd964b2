// Who may enter, see and be led where: accounts, plans, scopes of records and settings, redirects after a login.
import { expect, test } from 'vitest';
import {
  type Feature,
  FEATURES,
  getHardLimit,
  getMonthlyLimit,
  listFeaturePlans,
  PLANS,
} from '../../../src/domain/identity/plans.ts';
import { resolveRedirect, withQuery } from '../../../src/domain/identity/redirect-allow-list.ts';
import { isLocked, isUnused } from '../../../src/domain/identity/standing.ts';
import type { Tenant } from '../../../src/domain/identity/tenant.ts';
import { createVisibilityFilter } from '../../../src/domain/identity/visible-decisions.ts';
import { createScopeFilter, isInScope } from '../../../src/domain/identity/workspace-scope.ts';

const now = new Date('2026-06-02T12:00:00Z');
const DAY = 24 * 3600_000;

test('an account is unused until it was entered, has a password, or its mailbox is proved', () => {
  const unused = { lastOrganizationId: null, passwordHash: null, emailVerifiedAt: null };
  expect(isUnused(unused)).toBe(true);
  expect(isUnused({ ...unused, lastOrganizationId: {} })).toBe(false);
  expect(isUnused({ ...unused, passwordHash: 'x' })).toBe(false);
  expect(isUnused({ ...unused, emailVerifiedAt: now })).toBe(false);
});

test.each([
  ['at once', 0, false],
  ['after a day', DAY, false],
  ['after more than a day', DAY + 1, true],
])('a password without a proved mailbox is locked: %s', (_when, age, locked) => {
  const passwordChangedAt = new Date(now.getTime() - age);
  expect(isLocked({ emailVerifiedAt: null, passwordChangedAt }, now)).toBe(locked);
  expect(isLocked({ emailVerifiedAt: now, passwordChangedAt }, now)).toBe(false);
  expect(isLocked({ emailVerifiedAt: null, passwordChangedAt: null }, now)).toBe(false);
});

test.each([
  ['scale', 'export memorySearch webhooks chatAlerts mcpServer auditLog'],
  [
    'governance',
    'auditLogPdf friaWizard hashChainAudit multiClockIncidents complianceMapping provOExport sso',
  ],
  ['enterprise', 'scim privacyBudget c2paContentCredentials cpiFeedbackIngest'],
] as const)('the plan %s and all above have %s', (plan, names) => {
  const features = Object.keys(FEATURES) as Feature[];
  const lowest = features.filter((feature) => listFeaturePlans(feature)[0] === plan);
  expect(lowest.join(' ')).toBe(names);
  const above = PLANS.slice(PLANS.indexOf(plan));
  expect(lowest.map(listFeaturePlans)).toEqual(lowest.map(() => above));
});

test.each([
  ['sandbox', 7, 7],
  ['scale', 100_000, null],
  ['governance', 500_000, null],
  ['enterprise', 2_000_000, null],
  ['custom', null, null],
] as const)('the plan %s includes %j decisions a month, at most %j', (plan, monthly, hard) => {
  expect(getMonthlyLimit(plan, 7)).toBe(monthly);
  expect(getHardLimit(plan, 7)).toBe(hard);
});

const toTenant = (workspaceId: string | null, agentIds: string[] | null): Tenant =>
  ({ organizationId: 'o', workspaceId, agentIds }) as Tenant;

test.each([
  [null, null, { deletedAt: null }],
  ['w', null, { deletedAt: null, workspaceId: 'w' }],
  [null, [], { deletedAt: null, $and: [{ agentId: { $in: [] } }] }],
  ['w', ['a'], { deletedAt: null, workspaceId: 'w', $and: [{ agentId: { $in: ['a'] } }] }],
])('a caller of workspace %j and agents %j sees its own decisions', (workspace, agents, filter) => {
  expect(createVisibilityFilter(toTenant(workspace, agents))).toEqual(filter);
});

test('a workspace has its own settings and those of the whole organisation', () => {
  expect(createScopeFilter(toTenant(null, null))).toEqual({ organizationId: 'o' });
  expect(createScopeFilter(toTenant('w', null))).toEqual({
    organizationId: 'o',
    $or: [{ workspaceId: 'w' }, { workspaceId: null }],
  });
  const own = { workspaceId: { toHexString: () => 'w' } };
  expect([isInScope(own, 'w'), isInScope(own, 'x'), isInScope(own, null)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isInScope({ workspaceId: null }, 'w'), isInScope({ workspaceId: null }, null)]).toEqual([
    true,
    true,
  ]);
});

const SCHEME = 'https:';
const allowed = ['https://a.example.com/in', 'http://b.example/x?y=1'] as const;

test.each([
  [undefined, 'https://a.example.com/in'],
  ['https://a.example.com/in', 'https://a.example.com/in'],
  ['https://a.example.com/in?next=1#part', 'https://a.example.com/in?next=1'],
  ['http://b.example/x', 'http://b.example/x'],
  ['https://b.example/x', null],
  ['https://a.example.com/in/', null],
  ['https://a.example.com:8443/in', null],
  ['https://a.example.com.evil.example/in', null],
  [`${SCHEME}//user@a.example.com/in`, null],
  [`${SCHEME}//:secret@a.example.com/in`, null],
  ['javascript:alert(1)', null],
  ['/in', null],
  ['', null],
])('a login leads to %j: %j', (wanted, url) => {
  expect(resolveRedirect(allowed, wanted)).toBe(url);
});

test('an allowed address that is no URL leads nowhere', () => {
  expect(resolveRedirect(['none', 'ftp://a.example.com/'], 'ftp://a.example.com/')).toBeNull();
});

test('query parameters are set, not repeated', () => {
  expect(withQuery('https://a.example.com/in?code=1&x=2', { code: 'a b', y: '3' })).toBe(
    'https://a.example.com/in?code=a+b&x=2&y=3',
  );
});
