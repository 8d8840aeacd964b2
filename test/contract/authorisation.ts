// Who may call what, written down from the specification and apart from the declarations (document 1, sections 4 and 5).
import type { Code } from '../../src/errors.ts';

export const PERSONAS = [
  'nobody',
  'owner',
  'admin',
  'reviewer',
  'member',
  'viewer',
  'auditor',
  'workspaceKey',
  'readOnlyKey',
  'scopedKey',
  'agentKey',
  'foreigner',
  'expired',
  'sandbox',
  'directory',
  'sandboxDirectory',
] as const;
/** `directory` presents the organisation's SCIM token; `foreigner` is another organisation's owner with this organisation's ids; `sandbox` the owner of one on that plan. */
export type Persona = (typeof PERSONAS)[number];

/** Let in and served, or the code of the refusal. */
export type Verdict = 'ok' | Code;
type Row = Readonly<Record<Persona, Verdict>>;

/** A SCIM token is no session token. */
const noSession = {
  directory: 'TOKEN_VERIFICATION_FAILED',
  sandboxDirectory: 'TOKEN_VERIFICATION_FAILED',
} as const;

const everybody = Object.fromEntries(PERSONAS.map((persona) => [persona, 'ok'])) as Row;

/** Whoever has signed in, in any role; keys are no people. */
const signedIn: Row = {
  ...everybody,
  nobody: 'NO_TOKEN',
  workspaceKey: 'FORBIDDEN',
  readOnlyKey: 'FORBIDDEN',
  scopedKey: 'FORBIDDEN',
  agentKey: 'FORBIDDEN',
  expired: 'TOKEN_EXPIRED',
  ...noSession,
};
const readersInPerson: Row = { ...signedIn, auditor: 'FORBIDDEN' };
/** Workspace keys read like a member. */
const readers: Row = { ...readersInPerson, workspaceKey: 'ok', readOnlyKey: 'ok', scopedKey: 'ok' };
const managers: Row = {
  ...readersInPerson,
  reviewer: 'FORBIDDEN',
  member: 'FORBIDDEN',
  viewer: 'FORBIDDEN',
};
const owners: Row = { ...managers, admin: 'FORBIDDEN' };
const writers: Row = { ...readersInPerson, viewer: 'FORBIDDEN' };
/** Decisions come with a key; a session token does not look like one. */
const agents: Row = {
  ...(Object.fromEntries(PERSONAS.map((persona) => [persona, 'INVALID_API_KEY_FORMAT'])) as Row),
  nobody: 'NO_API_KEY',
  workspaceKey: 'ok',
  readOnlyKey: 'FORBIDDEN',
  scopedKey: 'ok',
  agentKey: 'ok',
};

/** Identity providers only; a session token is no SCIM token, and an API key none at all. */
const directories: Row = {
  ...(Object.fromEntries(PERSONAS.map((persona) => [persona, 'TOKEN_REVOKED'])) as Row),
  nobody: 'NO_TOKEN',
  workspaceKey: 'NO_TOKEN',
  readOnlyKey: 'NO_TOKEN',
  scopedKey: 'NO_TOKEN',
  agentKey: 'NO_TOKEN',
  directory: 'ok',
  sandboxDirectory: 'UPGRADE_REQUIRED',
};
const fixed: Row = { ...directories, directory: 'METHOD_NOT_ALLOWED' };

const ofOne = (row: Row): Row => ({ ...row, foreigner: 'NOT_FOUND' });
/** Let in, and refused for what the example cannot bring. */
const refused = (row: Row, code: Code): Row =>
  Object.fromEntries(
    Object.entries(row).map(([persona, verdict]) => [persona, verdict === 'ok' ? code : verdict]),
  ) as Row;
/** Nothing is there to be found yet. */
const absent = (row: Row): Row => refused(row, 'NOT_FOUND');
const paid = (row: Row): Row => ({ ...row, sandbox: 'UPGRADE_REQUIRED' });
const allAgents = (row: Row): Row => ({ ...row, scopedKey: 'FORBIDDEN' });

export const authorisation: Readonly<Record<string, Row>> = {
  'GET /health': everybody,
  'GET /ready': everybody,

  'POST /api/v1/auth/register': everybody,
  'POST /api/v1/auth/request-signup': everybody,
  'POST /api/v1/auth/complete-signup': everybody,
  'POST /api/v1/auth/login': everybody,
  'POST /api/v1/auth/forgot-password': everybody,
  'POST /api/v1/auth/reset-password': everybody,
  'POST /api/v1/auth/change-password': signedIn,
  'POST /api/v1/auth/magic-link': everybody,
  'POST /api/v1/auth/magic-link/verify': everybody,
  'POST /api/v1/auth/mfa/setup': signedIn,
  'POST /api/v1/auth/mfa/enable': refused(signedIn, 'INVALID_OPERATION'),
  'POST /api/v1/auth/mfa/disable': refused(signedIn, 'INVALID_OPERATION'),
  'POST /api/v1/auth/mfa/login': refused(everybody, 'TOKEN_VERIFICATION_FAILED'),
  'POST /api/v1/auth/mfa/resend': everybody,
  'POST /api/v1/auth/backup-codes/generate': signedIn,
  'GET /api/v1/auth/oauth-a': refused(everybody, 'NOT_FOUND'),
  'GET /api/v1/auth/oauth-a/callback': refused(everybody, 'NOT_FOUND'),
  'GET /api/v1/auth/oauth-b': everybody,
  'GET /api/v1/auth/oauth-b/callback': refused(everybody, 'INVALID_TOKEN'),
  'GET /api/v1/auth/oauth-c': refused(everybody, 'NOT_FOUND'),
  'GET /api/v1/auth/oauth-c/callback': refused(everybody, 'NOT_FOUND'),
  'GET /api/v1/auth/oauth-token': refused(everybody, 'NO_TOKEN'),
  'POST /api/v1/auth/sso/initiate': refused(everybody, 'NOT_FOUND'),
  'GET /api/v1/auth/sso/callback': refused(everybody, 'INVALID_TOKEN'),
  'GET /api/v1/auth/sso/callback/:orgId': refused(everybody, 'INVALID_TOKEN'),
  'GET /api/v1/auth/sso/mfa-exchange': refused(everybody, 'NO_TOKEN'),
  'POST /api/v1/auth/refresh': signedIn,
  'POST /api/v1/auth/logout': signedIn,
  'POST /api/v1/auth/revoke-sessions': signedIn,
  'POST /api/v1/auth/revoke-session': ofOne(signedIn),
  'GET /api/v1/auth/me': signedIn,
  'GET /api/v1/auth/me/orgs': signedIn,
  'POST /api/v1/auth/switch-org': ofOne(signedIn),
  'GET /api/v1/auth/sessions': signedIn,
  'POST /api/v1/auth/stream-token': signedIn,
  'PATCH /api/v1/auth/me/session-timeout': signedIn,
  'PATCH /api/v1/auth/profile': signedIn,
  'GET /api/v1/auth/me/preferences': signedIn,
  'PATCH /api/v1/auth/me/preferences': signedIn,
  'GET /api/v1/auth/security-settings': signedIn,
  'GET /api/v1/auth/login-activity': signedIn,
  'POST /api/v1/auth/passkeys/registration/options': signedIn,
  'POST /api/v1/auth/passkeys/registration/verify': signedIn,
  'POST /api/v1/auth/passkeys/authentication/options': everybody,
  'POST /api/v1/auth/passkeys/authentication/verify': everybody,
  'DELETE /api/v1/auth/passkeys/:id': signedIn,
  'DELETE /api/v1/auth/trusted-devices/:deviceId': signedIn,
  'POST /api/v1/auth/account/unlock-request': everybody,
  'POST /api/v1/auth/password-history/check': signedIn,
  'POST /api/v1/auth/verify-email': everybody,
  'POST /api/v1/auth/resend-verification': everybody,

  'POST /api/v1/auth/saml/initiate': absent(everybody),
  'POST /api/v1/auth/saml/callback': refused(everybody, 'INVALID_TOKEN'),
  'GET /api/v1/auth/saml/metadata/:orgId': everybody,
  'POST /api/v1/auth/saml/logout/initiate': signedIn,
  'POST /api/v1/auth/saml/logout/callback': paid(refused(everybody, 'TOKEN_VERIFICATION_FAILED')),
  'GET /api/v1/auth/saml/logout/callback': paid(refused(everybody, 'TOKEN_VERIFICATION_FAILED')),

  'POST /api/v1/auth/keys': ofOne(managers),
  'GET /api/v1/auth/keys': managers,
  'PATCH /api/v1/auth/keys/:id': ofOne(managers),
  'DELETE /api/v1/auth/keys/:id': ofOne(managers),

  'GET /api/v1/team/members': readersInPerson,
  'PATCH /api/v1/team/members/:userId/role': ofOne(managers),
  'PATCH /api/v1/team/members/:userId/auditor': ofOne(owners),
  'PATCH /api/v1/team/members/:userId/status': ofOne(managers),
  'PATCH /api/v1/team/members/:userId/reactivate': ofOne(managers),
  'DELETE /api/v1/team/members/:userId': ofOne(managers),
  'GET /api/v1/team/invites': readersInPerson,
  'POST /api/v1/team/invite': managers,
  'POST /api/v1/team/invites/:id/resend': ofOne(managers),
  'DELETE /api/v1/team/invites/:id': ofOne(managers),
  'GET /api/v1/team/invites/validate/:token': everybody,
  'POST /api/v1/team/invites/:token/accept': everybody,

  'GET /api/v1/organization': readers,
  'PATCH /api/v1/organization': managers,
  // The name that confirms is that of the caller's own organisation.
  'DELETE /api/v1/organization': { ...owners, foreigner: 'VALIDATION_ERROR' },

  'GET /api/v1/organization/sso': paid(managers),
  'PUT /api/v1/organization/sso': paid(owners),
  // Somebody else removes what they have set up themselves, a line above.
  'DELETE /api/v1/organization/sso': paid(owners),
  'GET /api/v1/organization/role-mapping': paid(managers),
  'PUT /api/v1/organization/role-mapping': paid(owners),
  'GET /api/v1/organization/sso/domains': paid(managers),
  'POST /api/v1/organization/sso/domains': paid(owners),
  'POST /api/v1/organization/sso/domains/:id/verify': paid(ofOne(owners)),
  'DELETE /api/v1/organization/sso/domains/:id': paid(ofOne(owners)),
  // Nobody here has a role in the installation.
  'POST /api/v1/system/sso-domains': refused(signedIn, 'FORBIDDEN'),

  'GET /api/v1/workspaces': readers,
  'POST /api/v1/workspaces': managers,
  'PATCH /api/v1/workspaces/:id': ofOne(managers),

  'GET /api/v1/agents': readers,
  'POST /api/v1/agents': managers,
  'GET /api/v1/agents/:id': ofOne(readers),
  'PATCH /api/v1/agents/:id': ofOne(managers),
  'DELETE /api/v1/agents/:id': ofOne(managers),
  'POST /api/v1/agents/:id/regenerate-key': ofOne(managers),
  'PATCH /api/v1/agents/:id/policies': ofOne(managers),
  'GET /api/v1/agents/:id/versions': ofOne(readers),
  'GET /api/v1/agents/:id/analytics': ofOne(readers),
  'GET /api/v1/agents/:id/ml-bom': ofOne(readers),
  'POST /api/v1/agents/:id/ml-bom/refresh': ofOne(managers),
  'GET /api/v1/agents/onboarding/draft': readersInPerson,
  'PATCH /api/v1/agents/:id/onboarding': ofOne(managers),
  'POST /api/v1/agents/:id/onboarding/complete': ofOne(managers),
  'DELETE /api/v1/agents/:id/onboarding': ofOne(managers),

  'POST /api/v1/traces': agents,
  'GET /api/v1/traces': readers,
  'GET /api/v1/traces/:id': ofOne(readers),
  'GET /api/v1/traces/:id/ml-bom': ofOne(readers),
  'POST /api/v1/traces/bulk-status': writers,
  'POST /api/v1/traces/bulk-delete': managers,

  'GET /api/v1/policies': readers,
  'POST /api/v1/policies': ofOne(managers),
  'GET /api/v1/policies/:id': ofOne(readers),
  'PATCH /api/v1/policies/:id': ofOne(managers),
  'DELETE /api/v1/policies/:id': ofOne(managers),
  'GET /api/v1/policies/:id/revisions': ofOne(readers),
  'GET /api/v1/policies/:id/revisions/:revision': ofOne(readers),
  'GET /api/v1/policies/sets/:digest': ofOne(readers),
  'GET /api/v1/policies/templates': readers,
  'POST /api/v1/policies/from-template': managers,

  'GET /api/v1/hash-chain/status': paid(allAgents(readers)),
  'POST /api/v1/hash-chain/verify': paid(readersInPerson),
  'GET /api/v1/hash-chain/entry/:traceId': paid(allAgents(ofOne(readers))),
  'GET /api/v1/hash-chain/entries': paid(allAgents(readers)),
  'GET /api/v1/hash-chain/entries/:id': paid(allAgents(ofOne(readers))),
  'GET /api/v1/hash-chain/anchors': paid(allAgents(readers)),
  'GET /api/v1/hash-chain/anchors/:anchorId/proof': paid(allAgents(absent(readers))),
  'GET /api/v1/hash-chain/export': paid(allAgents(readers)),
  'GET /api/v1/hash-chain/bundle': paid(allAgents(readers)),

  'POST /api/v1/organization/scim-token': paid(owners),
  'GET /scim/v2/ServiceProviderConfig': everybody,
  'GET /scim/v2/ResourceTypes': everybody,
  'GET /scim/v2/ResourceTypes/:id': everybody,
  'GET /scim/v2/Schemas': everybody,
  'GET /scim/v2/Schemas/:id': everybody,
  'POST /scim/v2/.search': directories,
  'GET /scim/v2/Users': directories,
  'POST /scim/v2/Users/.search': directories,
  'GET /scim/v2/Users/:id': directories,
  'POST /scim/v2/Users': directories,
  'PUT /scim/v2/Users/:id': directories,
  'PATCH /scim/v2/Users/:id': directories,
  'DELETE /scim/v2/Users/:id': directories,
  'GET /scim/v2/Groups': directories,
  'POST /scim/v2/Groups/.search': directories,
  'GET /scim/v2/Groups/:id': directories,
  'PATCH /scim/v2/Groups/:id': directories,
  'POST /scim/v2/Groups': fixed,
  'PUT /scim/v2/Groups/:id': fixed,
  'DELETE /scim/v2/Groups/:id': fixed,

  'GET /api/v1/audit': paid(managers),
  'GET /api/v1/audit/verify': paid(managers),
};
