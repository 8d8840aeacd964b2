// Signing on elsewhere: social logins, OpenID Connect and SAML.
import { generateHex } from '../../../src/platform/ids.ts';
import { createSsoBody } from '../bodies.ts';
import { setSso } from '../records.ts';
import type { Tenant } from '../tenant.ts';
import { refuseAbsent, everybody, requirePaidPlan, refuseAll, signedIn } from './access.ts';
import { type Example, sendNothing, type ResourceExamples } from './example.ts';

const startRedirect: Example = () => ({ query: { returnTo: 'https://app.example.com/' } });
const returnFromLogin: Example = ({ mark }) => ({
  query: {
    code: `${mark} code`,
    state: generateHex(20),
    iss: 'https://login.example.com',
    error: 'access_denied',
    error_description: mark,
  },
});
const setSaml = (tenant: Tenant): Promise<void> =>
  setSso(tenant, { ...createSsoBody(tenant.mark), provider: 'saml', oidc: null });

export const signOn: ResourceExamples = {
  access: {
    'GET /api/v1/auth/oauth-a': refuseAll(everybody, 'NOT_FOUND'),
    'GET /api/v1/auth/oauth-a/callback': refuseAll(everybody, 'NOT_FOUND'),
    'GET /api/v1/auth/oauth-b': everybody,
    'GET /api/v1/auth/oauth-b/callback': refuseAll(everybody, 'INVALID_TOKEN'),
    'GET /api/v1/auth/oauth-c': refuseAll(everybody, 'NOT_FOUND'),
    'GET /api/v1/auth/oauth-c/callback': refuseAll(everybody, 'NOT_FOUND'),
    'GET /api/v1/auth/oauth-token': refuseAll(everybody, 'NO_TOKEN'),
    'GET /api/v1/auth/sign-in-options': everybody,
    'POST /api/v1/auth/sso/initiate': refuseAll(everybody, 'NOT_FOUND'),
    'GET /api/v1/auth/sso/callback': refuseAll(everybody, 'INVALID_TOKEN'),
    'GET /api/v1/auth/sso/callback/:orgId': refuseAll(everybody, 'INVALID_TOKEN'),
    'GET /api/v1/auth/sso/mfa-exchange': refuseAll(everybody, 'NO_TOKEN'),
    'POST /api/v1/auth/sso/logout/initiate': signedIn,
    'GET /api/v1/auth/sso/logout/callback': refuseAll(everybody, 'INVALID_TOKEN'),
    'POST /api/v1/auth/sso/backchannel-logout/:orgId': refuseAbsent(everybody),
    'POST /api/v1/auth/saml/initiate': refuseAbsent(everybody),
    'POST /api/v1/auth/saml/callback': refuseAll(everybody, 'INVALID_TOKEN'),
    'GET /api/v1/auth/saml/metadata/:orgId': everybody,
    'POST /api/v1/auth/saml/logout/initiate': signedIn,
    'POST /api/v1/auth/saml/logout/callback': requirePaidPlan(
      refuseAll(everybody, 'TOKEN_VERIFICATION_FAILED'),
    ),
    'GET /api/v1/auth/saml/logout/callback': requirePaidPlan(
      refuseAll(everybody, 'TOKEN_VERIFICATION_FAILED'),
    ),
  },
  examples: {
    'GET /api/v1/auth/oauth-a': startRedirect,
    'GET /api/v1/auth/oauth-a/callback': returnFromLogin,
    'GET /api/v1/auth/oauth-b': startRedirect,
    'GET /api/v1/auth/oauth-b/callback': returnFromLogin,
    'GET /api/v1/auth/oauth-c': startRedirect,
    'GET /api/v1/auth/oauth-c/callback': returnFromLogin,
    'GET /api/v1/auth/oauth-token': sendNothing,
    'GET /api/v1/auth/sign-in-options': sendNothing,
    'POST /api/v1/auth/sso/initiate': () => ({
      body: {
        email: `${generateHex(8)}@nowhere.example.org`,
        returnTo: 'https://app.example.com/',
      },
    }),
    'GET /api/v1/auth/sso/callback': returnFromLogin,
    'GET /api/v1/auth/sso/callback/:orgId': async (tenant, token) => ({
      ...(await returnFromLogin(tenant, token)),
      params: { orgId: tenant.owner.organizationId },
    }),
    'GET /api/v1/auth/sso/mfa-exchange': sendNothing,
    'POST /api/v1/auth/sso/logout/initiate': sendNothing,
    'GET /api/v1/auth/sso/logout/callback': () => ({ query: { state: generateHex(20) } }),
    'POST /api/v1/auth/sso/backchannel-logout/:orgId': async (tenant) => {
      await setSso(tenant, null);
      return { params: { orgId: tenant.owner.organizationId }, form: { logout_token: 'a.b.c' } };
    },
    // Removes the sign-on that another example has set up.
    'POST /api/v1/auth/saml/initiate': async (tenant) => {
      await setSso(tenant, null);
      return { body: { organizationId: tenant.owner.organizationId } };
    },
    'POST /api/v1/auth/saml/callback': () => ({
      form: { SAMLResponse: 'PGEvPg==', RelayState: 'none' },
    }),
    'GET /api/v1/auth/saml/metadata/:orgId': ({ owner }) => ({
      params: { orgId: owner.organizationId },
    }),
    'POST /api/v1/auth/saml/logout/initiate': sendNothing,
    'POST /api/v1/auth/saml/logout/callback': async (tenant) => {
      await setSaml(tenant);
      const form = { SAMLResponse: 'PGEvPg==', RelayState: 'none' };
      return { query: { org: tenant.owner.organizationId }, form };
    },
    'GET /api/v1/auth/saml/logout/callback': async (tenant) => {
      await setSaml(tenant);
      const signed = { SAMLResponse: 'PGEvPg==', RelayState: 'none', SigAlg: 'a', Signature: 'b' };
      return { query: { org: tenant.owner.organizationId, ...signed } };
    },
  },
  refused: {
    'GET /api/v1/auth/oauth-a': 404,
    'GET /api/v1/auth/oauth-a/callback': 404,
    'GET /api/v1/auth/oauth-c': 404,
    'GET /api/v1/auth/oauth-c/callback': 404,
    'GET /api/v1/auth/oauth-token': 401,
    'POST /api/v1/auth/sso/initiate': 404,
    'GET /api/v1/auth/sso/mfa-exchange': 401,
    'POST /api/v1/auth/sso/backchannel-logout/:orgId': 404,
    'POST /api/v1/auth/saml/initiate': 404,
  },
};
