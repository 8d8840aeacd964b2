// Signing on elsewhere: social logins, OpenID Connect and SAML.
import { randomHex } from '../../../src/platform/ids.ts';
import { ssoBody } from '../bodies.ts';
import { setSso } from '../records.ts';
import type { Tenant } from '../tenant.ts';
import { absent, everybody, paid, refused, signedIn } from './access.ts';
import { type Example, nothing, type ResourceExamples } from './example.ts';

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
const setSaml = (tenant: Tenant): Promise<void> =>
  setSso(tenant, { ...ssoBody(tenant.mark), provider: 'saml', oidc: null });

export const signOn: ResourceExamples = {
  access: {
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
    'POST /api/v1/auth/sso/logout/initiate': signedIn,
    'GET /api/v1/auth/sso/logout/callback': refused(everybody, 'INVALID_TOKEN'),
    'POST /api/v1/auth/sso/backchannel-logout/:orgId': absent(everybody),
    'POST /api/v1/auth/saml/initiate': absent(everybody),
    'POST /api/v1/auth/saml/callback': refused(everybody, 'INVALID_TOKEN'),
    'GET /api/v1/auth/saml/metadata/:orgId': everybody,
    'POST /api/v1/auth/saml/logout/initiate': signedIn,
    'POST /api/v1/auth/saml/logout/callback': paid(refused(everybody, 'TOKEN_VERIFICATION_FAILED')),
    'GET /api/v1/auth/saml/logout/callback': paid(refused(everybody, 'TOKEN_VERIFICATION_FAILED')),
  },
  examples: {
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
    'GET /api/v1/auth/sso/callback/:orgId': async (tenant, token) => ({
      ...(await cameBack(tenant, token)),
      params: { orgId: tenant.owner.organizationId },
    }),
    'GET /api/v1/auth/sso/mfa-exchange': nothing,
    'POST /api/v1/auth/sso/logout/initiate': nothing,
    'GET /api/v1/auth/sso/logout/callback': () => ({ query: { state: randomHex(20) } }),
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
    'POST /api/v1/auth/saml/logout/initiate': nothing,
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
