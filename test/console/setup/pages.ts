// The pages of the console with a place to visit each at: tests and pictures go over this list. A new page is a line here.
import type { Company } from './company.ts';

type ToPath = (company: Company) => string;

/** Pages of a session. */
export const listPages = (): Record<string, ToPath> => ({
  overview: () => '/console/overview?period=30d',
  start: () => '/console/start',
  live: () => '/console/live',
  'live-blocked': () => '/console/live?status=blocked',
  sessions: () => '/console/sessions',
  session: ({ caseId }) => `/console/sessions/${caseId}`,
  'live-searched': ({ policyId }) =>
    `/console/live?policy=${policyId}&q=${encodeURIComponent('status:held amount>=5 since:7d')}`,
  decision: ({ byStatus }) => `/console/decisions/${byStatus.flagged[0]}`,
  'decision-limited': ({ limitedId }) => `/console/decisions/${limitedId}`,
  review: () => '/console/review',
  groups: () => '/console/groups',
  policies: () => '/console/policies',
  approvals: () => '/console/policies/approvals',
  policy: ({ policyId }) => `/console/policies/${policyId}`,
  'policy-effect': ({ policyId }) => `/console/policies/${policyId}?part=effect`,
  'policy-observing': ({ observingId }) => `/console/policies/${observingId}`,
  'policy-lists': () => '/console/policies/lists?list=partners',
  'policy-try': ({ policyId }) => `/console/policies/${policyId}?part=try`,
  'policy-replay': ({ policyId, replayId }) =>
    `/console/policies/${policyId}?part=replay&replay=${replayId}`,
  'policy-canary': ({ policyId }) => `/console/policies/${policyId}?part=canary`,
  budgets: () => '/console/budgets',
  budget: ({ budgetPolicyId }) => `/console/budgets?policy=${budgetPolicyId}`,
  grants: () => '/console/grants',
  grant: ({ grantId }) => `/console/grants/${grantId}`,
  'policy-limit': ({ budgetPolicyId }) => `/console/policies/${budgetPolicyId}`,
  oversight: () => '/console/oversight?approvals=20&days=7',
  approval: ({ approvalId }) => `/console/policies/approvals/${approvalId}`,
  'list-approval': ({ listApprovalId }) => `/console/policies/approvals/${listApprovalId}`,
  evidence: () => '/console/evidence',
  'evidence-log': () => '/console/evidence?part=log',
  'evidence-bundles': () => '/console/evidence?part=bundles',
  'evidence-audit': () => '/console/evidence?part=audit',
  'evidence-erasures': () => '/console/evidence?part=erasures',
  'review-item': ({ byStatus }) => `/console/review/${byStatus.flagged[0]}`,
  agents: () => '/console/agents',
  agent: ({ agentId }) => `/console/agents/${agentId}`,
  tools: () => '/console/tools',
  halts: () => '/console/halts',
  halt: ({ haltId }) => `/console/halts/${haltId}`,
  alerts: () => '/console/alerts',
  webhooks: () => '/console/webhooks',
  webhook: ({ webhookId }) => `/console/webhooks/${webhookId}`,
  device: ({ userCode }) => `/console/device?user_code=${userCode}`,
  incidents: () => '/console/incidents',
  incident: ({ incidentId }) => `/console/incidents/${incidentId}`,
  compliance: () => '/console/compliance',
  assessments: () => '/console/compliance/assessments',
  assessment: ({ assessmentId }) =>
    `/console/compliance/assessments/${assessmentId}?step=identifiedRisks`,
  privacy: () => '/console/compliance/privacy',
  usage: () => '/console/usage',
  profile: () => '/console/settings/profile',
  security: () => '/console/settings/security',
  'notification-settings': () => '/console/settings/notifications',
  members: () => '/console/settings/members',
  workspaces: () => '/console/settings/workspaces',
  keys: () => '/console/settings/keys',
  'sign-on': () => '/console/settings/sign-on',
  organization: () => '/console/settings/organization',
  notifications: () => '/console/notifications',
});

/** States of these pages that are looked at in pictures alone. */
export const listFurtherPages = (): Record<string, ToPath> => ({
  'live-faulty': () => '/console/live?q=status:open+polcy:x',
  'policy-new': () => '/console/policies/new?template=spending-review',
  'decision-judged': ({ caseId }) => `/console/decisions/${caseId}`,
  'decision-settled': ({ settledId }) => `/console/decisions/${settledId}`,
  'policy-observed': ({ observingId }) => `/console/policies/${observingId}?part=effect`,
  'policy-versions': ({ policyId }) => `/console/policies/${policyId}?part=versions`,
  'assessment-text': ({ assessmentId }) => `/console/compliance/assessments/${assessmentId}`,
  'evidence-manifests': () => '/console/evidence?part=manifests',
  'verify-sample': () => '/verify#sample',
});

/** Pages before a session. */
export const listOpenPages = (): Record<string, string> => ({
  'sign-in': '/console/sign-in',
  register: '/console/register',
  'forgot-password': '/console/forgot-password',
  'reset-password': '/console/reset-password#token=x',
  'magic-link': '/console/magic-link#token=x',
  'sign-on-failed': '/console/signed-on?error=EXPIRED',
  'sign-on-tested': '/console/signed-on?ssoTest=x',
  verify: '/verify',
});
