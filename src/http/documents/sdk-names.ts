// Names operations as client libraries call them: `decisions.create`, `reviews.decide`.
import type { Route } from '../declaration/define-route.ts';

/** Derives the tag of a path: its first segment after the version. */
export function deriveTag(path: string): string {
  return (
    path
      .replace(/^\/(api\/v1\/|(?=scim\/))/, '')
      .split('/')[0]
      ?.replace(/^$/, 'service') ?? 'service'
  );
}

/** Names that do not follow from method and path. */
const NAMES: Readonly<Record<string, string>> = {
  'post /access/v1/evaluation': 'access.evaluate',
  'post /access/v1/evaluations': 'access.evaluateAll',
  'post /access/v1/requests': 'access.requests.create',
  'get /access/v1/requests/:id': 'access.requests.get',
  'post /access/v1/requests/:id/cancel': 'access.requests.cancel',
  'get /.well-known/authzen-configuration': 'access.describe',
  'post /acs': 'guardian.answer',
  'get /auth/device/approve': 'auth.device.get',
  'get /.well-known/assay-log': 'service.logKeys',
  'get /.well-known/jwks.json': 'service.publicKeys',
  'get /log/:logId/checkpoint': 'logs.checkpoint',
  'get /log/:logId/tile/:level/:first': 'logs.tile',
  'get /log/:logId/tile/:level/:first/:second': 'logs.tileOfThousands',
  'get /log/:logId/tile/:level/:first/:second/:third': 'logs.tileOfMillions',
  'get /log/:logId/tile/:level/:first/:second/:third/:fourth': 'logs.tileOfBillions',
  'get /agents/:id/ml-bom': 'agents.mlBom.get',
  'get /agents/onboarding/draft': 'agents.onboarding.draft',
  'post /api/payment/webhook': 'billing.receiveEvent',
  'get /audit/export/pdf': 'audit.exportPdf',
  'get /audit/verify': 'audit.verify',
  'get /auth/key': 'keys.current',
  'get /auth/keys': 'keys.list',
  'post /auth/keys': 'keys.create',
  'delete /auth/keys/:id': 'keys.delete',
  'patch /auth/keys/:id': 'keys.update',
  'post /auth/magic-link': 'auth.magicLink.request',
  'get /auth/me': 'auth.me.get',
  'delete /auth/me/orgs/:id': 'auth.me.orgs.leave',
  'get /auth/me/preferences': 'auth.me.preferences.get',
  'patch /auth/me/session-timeout': 'auth.me.setSessionTimeout',
  'get /auth/oauth-a': 'auth.oauthA.start',
  'get /auth/oauth-b': 'auth.oauthB.start',
  'get /auth/oauth-c': 'auth.oauthC.start',
  'get /auth/oauth-token': 'auth.oauthToken',
  'patch /auth/profile': 'auth.me.update',
  'get /auth/saml/logout/callback': 'auth.saml.logout.receive',
  'get /auth/saml/metadata/:orgId': 'auth.saml.metadata',
  'post /auth/sso/backchannel-logout/:orgId': 'auth.sso.backchannelLogout',
  'get /auth/sso/callback/:orgId': 'auth.sso.callbackOf',
  'get /billing': 'billing.get',
  'get /compliance/mapping': 'compliance.mapping.get',
  'patch /compliance/mapping': 'compliance.mapping.attest',
  'get /compliance/proofs': 'compliance.proofs.get',
  'get /compliance/report-schedule': 'compliance.reportSchedule.get',
  'get /cpi': 'performance.get',
  'get /hash-chain/entry/:traceId': 'chain.entries.ofDecision',
  'get /health': 'service.health',
  'get /incidents/calendar.ics': 'incidents.calendar.download',
  'delete /incidents/calendar/token': 'incidents.calendar.revokeToken',
  'post /incidents/calendar/token': 'incidents.calendar.createToken',
  'post /mcp-server/mcp': 'bridge.message',
  'delete /notifications': 'notifications.deleteAll',
  'patch /notifications/:id/read': 'notifications.read',
  'post /notifications/broadcast': 'notifications.broadcast',
  'patch /notifications/read-all': 'notifications.readAll',
  'get /organization': 'organization.get',
  'get /organization/role-mapping': 'organization.roleMapping.get',
  'get /organization/sso': 'organization.sso.get',
  'post /organization/sso/test': 'organization.sso.test.begin',
  'post /policies/_new/dry-run': 'policies.candidates.dryRun',
  'post /policies/_new/replay': 'policies.candidates.replay',
  'post /policies/_new/validate-adl': 'policies.candidates.validateAdl',
  'post /policies/approvals/:id/:action': 'policies.approvals.act',
  'get /policies/export-bundle': 'policies.downloadBundle',
  'get /policies/insurance-feed': 'policies.insuranceFeed.get',
  'post /policies/insurance-feed': 'policies.insuranceFeed.create',
  'get /privacy-budget': 'privacyBudget.get',
  'patch /privacy-budget/caps': 'privacyBudget.setCaps',
  'get /provenance/provo/trace/:traceId': 'provenance.provo.ofDecision',
  'get /provenance/settings': 'provenance.settings.get',
  'get /ready': 'service.ready',
  'patch /review-queue/:id/assign': 'reviews.assign',
  'post /review-queue/:id/decision': 'reviews.decide',
  'post /review-queue/bulk-decision': 'reviews.decideMany',
  'post /team/invite': 'team.invites.create',
  'get /team/invites/validate/:token': 'team.invites.validate',
  'patch /team/members/:userId/auditor': 'team.members.setAuditor',
  'patch /team/members/:userId/reactivate': 'team.members.reactivate',
  'patch /team/members/:userId/role': 'team.members.setRole',
  'patch /team/members/:userId/status': 'team.members.setStatus',
  'get /traces/:id/ml-bom': 'decisions.mlBom',
  'post /traces/batch': 'decisions.createMany',
  'post /traces/memory': 'decisions.recall',
};

/** Names of groups that differ from their tag. */
const GROUPS: Readonly<Record<string, string>> = {
  traces: 'decisions',
  'review-queue': 'reviews',
  'hash-chain': 'chain',
  cpi: 'performance',
  fria: 'assessments',
  'c2pa-kms': 'signer',
  'mcp-server': 'bridge',
};

/** Segments that end in an s and are one thing. */
const SINGULAR = new Set([
  'analytics',
  'effectiveness',
  'preferences',
  'revoke-sessions',
  'options',
  'run-tests',
  'security-settings',
  'settings',
  'status',
  'canary-status',
  'bulk-status',
]);

const VERBS = { post: 'create', put: 'replace', patch: 'update', delete: 'delete' } as const;

/** Derives the name of an operation, groups and method with dots between them. */
export function deriveSdkName(path: string, method: Route['method']): string {
  const known = NAMES[`${method} ${path.replace(/^\/api\/v1/, '')}`];
  if (known !== undefined) return known;
  const [, ...segments] = path.replace(/^\/(api\/v1\/)?/, '').split('/');
  const words = segments.filter((segment) => !segment.startsWith(':') && segment !== 'v2');
  const tag = deriveTag(path);
  const groups = [GROUPS[tag] ?? tag, ...words].map(toCamelCase);
  const last = segments.at(-1) ?? '';
  if (last.startsWith(':')) return [...groups, method === 'get' ? method : VERBS[method]].join('.');
  const isCollection = last === '' || (last.endsWith('s') && !SINGULAR.has(last));
  if (method === 'get') return [...groups, ...(isCollection ? ['list'] : [])].join('.');
  return [...groups, ...(method === 'post' && !isCollection ? [] : [VERBS[method]])].join('.');
}

/** `ml-bom` becomes `mlBom`. */
const toCamelCase = (segment: string): string =>
  segment
    .replace(/^[^A-Za-z]+/, '')
    .replace(/^[A-Z]/, (first) => first.toLowerCase())
    .replace(/[^A-Za-z0-9]+([A-Za-z])/g, (_match, next: string) => next.toUpperCase());
