// For every operation one request that is served, made of a site's own records; every input that exists is given.
import { Types } from 'mongoose';
import { randomHex } from '../../src/platform/ids.ts';
import { FIRST_CERTIFICATE } from '../setup/providers/certificates.ts';
import { createOwner, PASSWORD } from '../setup/personas.ts';
import {
  as,
  decisionBody,
  linkToken,
  modelMetadata,
  newDecision,
  newInvitation,
  newMember,
  policyBody,
  provision,
  type Site,
} from './site.ts';

export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Instead of a body, where a browser sends one. */
  form?: Record<string, string>;
}
/** `token` is the session the request will be sent with. */
export type Example = (site: Site, token: string) => Sample | Promise<Sample>;

const jtiOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string })
    .jti;

const page = { page: '1', limit: '10' };
const away: Example = () => ({ query: { returnTo: 'https://app.example.com/' } });
const cameBack: Example = ({ mark }) => ({
  query: {
    code: `${mark} code`,
    state: randomHex(20),
    iss: 'https://login.example.com',
    error: 'access_denied',
    error_description: mark,
  },
});
const ofAgent: Example = ({ agentId }) => ({ params: { id: agentId } });
const ofTrace: Example = ({ traceId }) => ({ params: { id: traceId } });
const ofPolicy: Example = ({ policyId }) => ({ params: { id: policyId } });
const ofMember: Example = async (site) => ({ params: { userId: await newMember(site) } });
const ofInvitation: Example = async (site) => ({ params: { id: (await newInvitation(site)).id } });
const nothing: Example = () => ({});

async function newAgent(site: Site): Promise<string> {
  return (await as(site, 'POST /api/v1/agents', { name: `${site.mark} ${randomHex(6)}` }))
    ._id as string;
}
const newDraft = async (site: Site): Promise<string> =>
  (await as(site, 'POST /api/v1/agents', { name: `${site.mark} draft`, onboarding: true }))
    ._id as string;
async function newKey(site: Site): Promise<string> {
  return (await as(site, 'POST /api/v1/auth/keys', { name: `${site.mark} brief` }))._id as string;
}
/** A token of a mail to somebody whom nothing else needs. */
const tokenOfStranger = async (site: Site, purpose: string): Promise<string> =>
  linkToken(site, purpose, await createOwner(site.ground.app, site.mark));
const newUser = ({ mark }: Site): Record<string, unknown> => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${mark}-${randomHex(6)}@example.com`,
  displayName: `${mark} person`,
  name: { formatted: `${mark} Person`, givenName: mark, familyName: 'Person' },
  active: true,
  externalId: `${mark} ${randomHex(6)}`,
  emails: [{ value: `${mark}-${randomHex(6)}@example.com`, type: 'work', primary: true }],
  groups: [{ value: 'g1', display: `${mark} group` }],
});
const provisioned = (site: Site): Promise<string> => provision(site, newUser(site));
const ofUser: Example = async (site) => ({ params: { id: await provisioned(site) } });
const selection = { attributes: 'userName,name.givenName,active' };
const search = { filter: 'displayName co "a"', startIndex: 1, count: 10 };
const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

const ssoBody = (mark: string): Record<string, unknown> => ({
  provider: 'oidc',
  requireMfaEvenWithSso: false,
  justInTime: true,
  oidc: {
    issuer: 'https://login.example.com/tenant',
    clientId: `${mark} client`,
    clientSecret: `${mark} secret`,
    subjectClaim: 'sub',
    groupsClaim: 'groups',
  },
  saml: {
    entityId: `${mark} provider`,
    ssoUrl: 'https://login.example.com/saml',
    sloUrl: 'https://login.example.com/saml/logout',
    certificates: [FIRST_CERTIFICATE],
    emailAttribute: 'email',
    nameAttribute: 'name',
    groupsAttribute: 'groups',
  },
});
const organizationOf = ({ owner }: Site) =>
  Types.ObjectId.createFromHexString(owner.organizationId);
const domainsOf = ({ ground }: Site) => ground.database.collection('sso_domains');
const domain = ({ mark }: Site): string => `${mark}-${randomHex(6)}.example.com`;
/** A claim whose record is published. */
const ofDomain: Example = async (site) => {
  const claim = {
    organizationId: organizationOf(site),
    domain: domain(site),
    challenge: randomHex(16),
  };
  const now = { createdAt: new Date(), updatedAt: new Date() };
  const { insertedId } = await domainsOf(site).insertOne({
    ...claim,
    verifiedAt: null,
    verifiedBy: null,
    ...now,
  });
  const { records } = site.ground.names;
  records.set(`_assay-challenge.${claim.domain}`, [`assay-domain-verification=${claim.challenge}`]);
  return { params: { id: insertedId.toHexString() } };
};
/** Past the operation, which the plan may refuse. */
async function setSso({ ground, owner }: Site, ssoConfig: object | null): Promise<void> {
  const _id = Types.ObjectId.createFromHexString(owner.organizationId);
  await ground.database.collection('organizations').updateOne({ _id }, { $set: { ssoConfig } });
}
const setSaml = (site: Site): Promise<void> =>
  setSso(site, { ...ssoBody(site.mark), provider: 'saml', oidc: null });

const period = {
  from: '2025-01-01',
  to: '2045-01-01',
  fromSequence: '1',
  toSequence: '1',
  format: 'json',
};

export const examples: Readonly<Record<string, Example>> = {
  'GET /health': nothing,
  'GET /ready': nothing,

  'POST /api/v1/auth/register': ({ mark }) => ({
    body: {
      name: `${mark} person`,
      email: `${randomHex(8)}@example.com`,
      password: PASSWORD,
      organizationName: `${mark} Ltd`,
    },
  }),
  'GET /api/v1/auth/oauth-a': away,
  'GET /api/v1/auth/oauth-a/callback': cameBack,
  'GET /api/v1/auth/oauth-b': away,
  'GET /api/v1/auth/oauth-b/callback': cameBack,
  'GET /api/v1/auth/oauth-c': away,
  'GET /api/v1/auth/oauth-c/callback': cameBack,
  'GET /api/v1/auth/oauth-token': nothing,
  'POST /api/v1/auth/sso/initiate': () => ({
    body: { email: `${randomHex(8)}@nowhere.example.org`, returnTo: 'https://app.example.com/' },
  }),
  'GET /api/v1/auth/sso/callback': cameBack,
  'GET /api/v1/auth/sso/callback/:orgId': async (site, token) => ({
    ...(await cameBack(site, token)),
    params: { orgId: site.owner.organizationId },
  }),
  'GET /api/v1/auth/sso/mfa-exchange': nothing,
  'POST /api/v1/auth/login': ({ owner }) => ({ body: { email: owner.email, password: PASSWORD } }),
  // Nobody is written to, so that no token appears while something else is counted.
  'POST /api/v1/auth/request-signup': ({ owner }) => ({ body: { email: owner.email } }),
  'POST /api/v1/auth/forgot-password': () => ({ body: { email: `${randomHex(8)}@example.com` } }),
  'POST /api/v1/auth/magic-link': () => ({ body: { email: `${randomHex(8)}@example.com` } }),
  'POST /api/v1/auth/complete-signup': async (site) => ({
    body: {
      token: await linkToken(site, 'signup', { userId: '', email: `${randomHex(8)}@example.com` }),
      name: `${site.mark} person`,
      password: PASSWORD,
      organizationName: `${site.mark} Ltd`,
    },
  }),
  'POST /api/v1/auth/reset-password': async (site) => ({
    body: { token: await tokenOfStranger(site, 'reset'), password: PASSWORD },
  }),
  'POST /api/v1/auth/magic-link/verify': async (site) => ({
    body: { token: await tokenOfStranger(site, 'magic-link') },
  }),
  'POST /api/v1/auth/change-password': () => ({
    body: { currentPassword: PASSWORD, newPassword: PASSWORD },
  }),
  'POST /api/v1/auth/mfa/setup': nothing,
  // Whoever has set one up in another example has not in this one.
  'POST /api/v1/auth/mfa/enable': async ({ ground }) => {
    await ground.database
      .collection('users')
      .updateMany({}, { $set: { 'mfa.pendingSecret': null } });
    return { body: { code: '000000' } };
  },
  'POST /api/v1/auth/mfa/disable': () => ({ body: { code: '000000', password: PASSWORD } }),
  'POST /api/v1/auth/mfa/login': () => ({ body: { tempToken: 'not.signed.here', code: '000000' } }),
  'POST /api/v1/auth/mfa/resend': nothing,
  'POST /api/v1/auth/backup-codes/generate': nothing,
  'GET /api/v1/auth/sessions': () => ({ query: page }),
  'POST /api/v1/auth/stream-token': nothing,
  'PATCH /api/v1/auth/me/session-timeout': () => ({ body: { sessionTimeout: '7d' } }),
  'PATCH /api/v1/auth/profile': ({ mark }) => ({
    body: { name: `${mark} person`, locale: 'de-AT', timezone: 'Europe/Vienna' },
  }),
  'GET /api/v1/auth/me/preferences': nothing,
  'PATCH /api/v1/auth/me/preferences': () => ({
    body: {
      theme: 'dark',
      notificationOptOuts: { email: ['review.assigned'], inApp: ['incident.created'] },
    },
  }),
  'GET /api/v1/auth/security-settings': nothing,
  'GET /api/v1/auth/login-activity': () => ({ query: page }),
  'POST /api/v1/auth/passkeys/registration/options': nothing,
  'POST /api/v1/auth/passkeys/registration/verify': nothing,
  'POST /api/v1/auth/passkeys/authentication/options': nothing,
  'POST /api/v1/auth/passkeys/authentication/verify': nothing,
  'DELETE /api/v1/auth/passkeys/:id': ({ agentId }) => ({ params: { id: agentId } }),
  'DELETE /api/v1/auth/trusted-devices/:deviceId': ({ agentId }) => ({
    params: { deviceId: agentId },
  }),
  'POST /api/v1/auth/account/unlock-request': nothing,
  'POST /api/v1/auth/password-history/check': nothing,
  'POST /api/v1/auth/verify-email': nothing,
  'POST /api/v1/auth/resend-verification': nothing,
  'POST /api/v1/auth/refresh': nothing,
  'POST /api/v1/auth/logout': nothing,
  'POST /api/v1/auth/revoke-sessions': nothing,
  'POST /api/v1/auth/revoke-session': (_site, token) => ({ body: { jti: jtiOf(token) } }),
  'GET /api/v1/auth/me': nothing,
  'GET /api/v1/auth/me/orgs': nothing,
  'POST /api/v1/auth/switch-org': ({ owner }) => ({
    body: { organizationId: owner.organizationId },
  }),

  // Whatever another example has set up: an organisation with a sign-on is none that has not one.
  'POST /api/v1/auth/saml/initiate': async (site) => {
    await setSso(site, null);
    return { body: { organizationId: site.owner.organizationId } };
  },
  'POST /api/v1/auth/saml/callback': () => ({
    form: { SAMLResponse: 'PGEvPg==', RelayState: 'none' },
  }),
  'GET /api/v1/auth/saml/metadata/:orgId': ({ owner }) => ({
    params: { orgId: owner.organizationId },
  }),
  'POST /api/v1/auth/saml/logout/initiate': nothing,
  'POST /api/v1/auth/saml/logout/callback': async (site) => {
    await setSaml(site);
    const form = { SAMLResponse: 'PGEvPg==', RelayState: 'none' };
    return { query: { org: site.owner.organizationId }, form };
  },
  'GET /api/v1/auth/saml/logout/callback': async (site) => {
    await setSaml(site);
    const signed = { SAMLResponse: 'PGEvPg==', RelayState: 'none', SigAlg: 'a', Signature: 'b' };
    return { query: { org: site.owner.organizationId, ...signed } };
  },

  'POST /api/v1/auth/keys': ({ mark, workspaceId, agentId }) => ({
    body: { name: `${mark} key`, workspaceId, scope: { agentIds: [agentId], readOnly: true } },
  }),
  'GET /api/v1/auth/keys': () => ({ query: page }),
  'PATCH /api/v1/auth/keys/:id': async (site) => ({
    params: { id: await newKey(site) },
    body: { name: `${site.mark} renamed`, scope: { agentIds: [site.agentId], readOnly: false } },
  }),
  'DELETE /api/v1/auth/keys/:id': async (site) => ({ params: { id: await newKey(site) } }),

  'GET /api/v1/team/members': nothing,
  'PATCH /api/v1/team/members/:userId/role': async (site) => ({
    params: { userId: await newMember(site) },
    body: { role: 'viewer' },
  }),
  'PATCH /api/v1/team/members/:userId/auditor': ofMember,
  'PATCH /api/v1/team/members/:userId/status': ofMember,
  'PATCH /api/v1/team/members/:userId/reactivate': ofMember,
  'DELETE /api/v1/team/members/:userId': ofMember,
  'GET /api/v1/team/invites': nothing,
  'POST /api/v1/team/invite': () => ({
    body: { email: `${randomHex(8)}@example.com`, role: 'viewer' },
  }),
  'POST /api/v1/team/invites/:id/resend': ofInvitation,
  'DELETE /api/v1/team/invites/:id': ofInvitation,
  'GET /api/v1/team/invites/validate/:token': async (site) => ({
    params: { token: (await newInvitation(site)).token },
  }),
  'POST /api/v1/team/invites/:token/accept': async (site) => ({
    params: { token: (await newInvitation(site)).token },
    body: { name: `${site.mark} guest`, password: PASSWORD },
  }),

  'GET /api/v1/organization': nothing,
  'PATCH /api/v1/organization': ({ mark }) => ({
    body: { name: `${mark} renamed`, scrubNationalIds: true, endSessionsOnScimDeactivate: false },
  }),
  'DELETE /api/v1/organization': ({ mark }) => ({ body: { name: `${mark} Ltd` } }),
  'POST /api/v1/organization/scim-token': nothing,

  'GET /api/v1/organization/sso': nothing,
  'PUT /api/v1/organization/sso': ({ mark }) => ({ body: ssoBody(mark) }),
  'DELETE /api/v1/organization/sso': async (site) => {
    await setSso(site, ssoBody(site.mark));
    return {};
  },
  'GET /api/v1/organization/role-mapping': nothing,
  'PUT /api/v1/organization/role-mapping': ({ mark }) => ({
    body: { rules: [{ pattern: `^${mark} auditors$`, role: 'auditor' }] },
  }),

  'GET /api/v1/organization/sso/domains': nothing,
  'POST /api/v1/organization/sso/domains': async (site) => {
    // There may be fifty.
    await domainsOf(site).deleteMany({ organizationId: organizationOf(site) });
    return { body: { domain: domain(site) } };
  },
  'POST /api/v1/organization/sso/domains/:id/verify': ofDomain,
  'DELETE /api/v1/organization/sso/domains/:id': ofDomain,
  'POST /api/v1/system/sso-domains': (site) => ({
    body: { organizationId: site.owner.organizationId, domain: domain(site) },
  }),

  'GET /api/v1/workspaces': nothing,
  'POST /api/v1/workspaces': ({ mark }) => ({ body: { name: `${mark} ${randomHex(6)}` } }),
  'PATCH /api/v1/workspaces/:id': ({ workspaceId, mark }) => ({
    params: { id: workspaceId },
    body: { name: `${mark} ${randomHex(6)}` },
  }),

  'GET /api/v1/agents': () => ({ query: page }),
  'POST /api/v1/agents': ({ mark }) => ({
    body: {
      name: `${mark} ${randomHex(6)}`,
      description: `${mark} description`,
      modelMetadata: modelMetadata(mark),
      onboarding: true,
    },
  }),
  'GET /api/v1/agents/:id': ofAgent,
  'PATCH /api/v1/agents/:id': async (site) => ({
    params: { id: await newAgent(site) },
    body: {
      name: `${site.mark} ${randomHex(6)}`,
      description: `${site.mark} description`,
      modelMetadata: modelMetadata(site.mark),
    },
  }),
  'DELETE /api/v1/agents/:id': async (site) => ({ params: { id: await newAgent(site) } }),
  'POST /api/v1/agents/:id/regenerate-key': async (site) => ({
    params: { id: await newAgent(site) },
  }),
  'PATCH /api/v1/agents/:id/policies': async (site) => ({
    params: { id: await newAgent(site) },
    body: {
      strictMode: true,
      logPayloads: true,
      piiMasking: true,
      autoBlockAnomalies: false,
      confidenceThreshold: 0.5,
      maxRequestsPerMinute: 100_000,
      timeoutMs: 5000,
    },
  }),
  'GET /api/v1/agents/:id/versions': ofAgent,
  'GET /api/v1/agents/:id/analytics': ofAgent,
  'GET /api/v1/agents/:id/ml-bom': ofAgent,
  'POST /api/v1/agents/:id/ml-bom/refresh': ofAgent,
  'GET /api/v1/agents/onboarding/draft': nothing,
  'PATCH /api/v1/agents/:id/onboarding': async (site) => ({
    params: { id: await newDraft(site) },
    body: { currentStep: 2, data: { answer: `${site.mark} answer` } },
  }),
  'POST /api/v1/agents/:id/onboarding/complete': async (site) => ({
    params: { id: await newDraft(site) },
  }),
  'DELETE /api/v1/agents/:id/onboarding': async (site) => ({
    params: { id: await newDraft(site) },
  }),

  'POST /api/v1/traces': ({ agentId, mark }) => ({ body: decisionBody(agentId, mark) }),
  'GET /api/v1/traces': ({ agentId }) => ({
    query: {
      ...page,
      status: 'approved',
      agentId,
      humanOverride: 'false',
      minConfidence: '0.1',
      maxConfidence: '1',
      dateFrom: '2025-01-01',
      dateTo: '2045-01-01T00:00:00Z',
      search: 'rationale',
    },
  }),
  'GET /api/v1/traces/:id': ofTrace,
  'GET /api/v1/traces/:id/ml-bom': ofTrace,
  'POST /api/v1/traces/bulk-status': ({ traceId }) => ({
    body: { ids: [traceId], status: 'approved' },
  }),
  'POST /api/v1/traces/bulk-delete': async (site) => ({ body: { ids: [await newDecision(site)] } }),

  'GET /api/v1/policies': () => ({ query: page }),
  'POST /api/v1/policies': ({ mark, workspaceId }) => ({
    body: { ...policyBody(mark), workspaceId },
  }),
  'GET /api/v1/policies/:id': ofPolicy,
  'PATCH /api/v1/policies/:id': ({ policyId, mark }) => ({
    params: { id: policyId },
    body: policyBody(`${mark} ${randomHex(4)}`),
  }),
  'DELETE /api/v1/policies/:id': async (site) => ({
    params: { id: (await as(site, 'POST /api/v1/policies', policyBody(site.mark)))._id as string },
  }),
  'GET /api/v1/policies/:id/revisions': ({ policyId }) => ({
    params: { id: policyId },
    query: page,
  }),
  'GET /api/v1/policies/:id/revisions/:revision': ({ policyId }) => ({
    params: { id: policyId, revision: '1' },
  }),
  'GET /api/v1/policies/sets/:digest': ({ policySetDigest }) => ({
    params: { digest: policySetDigest },
  }),
  'GET /api/v1/policies/templates': nothing,
  'POST /api/v1/policies/from-template': async (site) => {
    const [{ id }] = await as(site, 'GET /api/v1/policies/templates');
    return { body: { templateId: id as string, name: `${site.mark} from template` } };
  },

  'GET /api/v1/hash-chain/status': nothing,
  'POST /api/v1/hash-chain/verify': nothing,
  'GET /api/v1/hash-chain/entry/:traceId': ({ traceName }) => ({ params: { traceId: traceName } }),
  'GET /api/v1/hash-chain/entries': ({ traceName }) => ({
    query: { limit: '10', beforeSeq: '1000', search: traceName.slice(0, 8) },
  }),
  'GET /api/v1/hash-chain/entries/:id': ({ traceId }) => ({ params: { id: traceId } }),
  'GET /api/v1/hash-chain/anchors': nothing,
  'GET /api/v1/hash-chain/anchors/:anchorId/proof': ({ traceId }) => ({
    params: { anchorId: traceId },
    query: { sequence: '1' },
  }),
  'GET /api/v1/hash-chain/export': () => ({ query: period }),
  'GET /api/v1/hash-chain/bundle': () => ({ query: period }),

  'GET /scim/v2/ServiceProviderConfig': nothing,
  'GET /scim/v2/ResourceTypes': nothing,
  'GET /scim/v2/ResourceTypes/:id': () => ({ params: { id: 'User' } }),
  'GET /scim/v2/Schemas': nothing,
  'GET /scim/v2/Schemas/:id': () => ({
    params: { id: 'urn:ietf:params:scim:schemas:core:2.0:Group' },
  }),
  'POST /scim/v2/.search': () => ({ body: { ...search, attributes: ['displayName'] } }),
  'GET /scim/v2/Users': () => ({
    query: {
      filter: 'userName sw "a"',
      startIndex: '1',
      count: '10',
      excludedAttributes: 'emails',
    },
  }),
  'POST /scim/v2/Users/.search': () => ({
    body: { ...search, excludedAttributes: ['emails.value'] },
  }),
  'GET /scim/v2/Users/:id': async (site) => ({
    params: { id: await provisioned(site) },
    query: selection,
  }),
  'POST /scim/v2/Users': (site) => ({ body: newUser(site), query: selection }),
  'PUT /scim/v2/Users/:id': async (site) => ({
    ...(await ofUser(site, '')),
    body: newUser(site),
    query: selection,
  }),
  'PATCH /scim/v2/Users/:id': async (site) => ({
    ...(await ofUser(site, '')),
    body: patch(
      { op: 'Replace', path: 'name.familyName', value: `${site.mark} name` },
      { op: 'add', path: 'emails[type eq "work"].value', value: `${randomHex(6)}@example.com` },
    ),
    query: selection,
  }),
  'DELETE /scim/v2/Users/:id': ofUser,
  'GET /scim/v2/Groups': () => ({
    query: {
      filter: 'displayName eq "admin"',
      startIndex: '1',
      count: '10',
      excludedAttributes: 'members',
    },
  }),
  'POST /scim/v2/Groups/.search': () => ({ body: search }),
  'GET /scim/v2/Groups/:id': () => ({
    params: { id: 'member' },
    query: { excludedAttributes: 'members' },
  }),
  'PATCH /scim/v2/Groups/:id': async (site) => ({
    params: { id: 'reviewer' },
    body: patch({ op: 'Add', path: 'members', value: [{ value: await provisioned(site) }] }),
  }),
  'POST /scim/v2/Groups': nothing,
  'PUT /scim/v2/Groups/:id': () => ({ params: { id: 'member' } }),
  'DELETE /scim/v2/Groups/:id': () => ({ params: { id: 'member' } }),

  'GET /api/v1/audit': ({ owner, agentId, workspaceId }) => ({
    query: {
      ...page,
      action: 'agent.create',
      userId: owner.userId,
      resource: 'agent',
      resourceId: agentId,
      workspaceId,
      status: 'success',
      dateFrom: '2025-01-01',
      dateTo: '2045-01-01',
      search: 'a',
    },
  }),
  'GET /api/v1/audit/verify': nothing,
};

/** Inputs that take any JSON, or an object as well as a text: an operator of the database is data there. */
export const freeForm: Readonly<Record<string, readonly string[]>> = {
  'POST /api/v1/traces': [
    'metadata',
    'metadata.note',
    'outputDecision.action',
    'alternatives.0.decision',
    'inputContext',
    'outputDecision',
  ],
  'POST /api/v1/agents': ['onboarding'],
  'POST /api/v1/policies': ['conditions.0.value', 'actions.0.config', 'actions.0.config.reason'],
  'PATCH /api/v1/policies/:id': [
    'conditions.0.value',
    'actions.0.config',
    'actions.0.config.reason',
  ],
};
