// Local accounts: registration, sign-in, links in mail, second factor, sessions, profile, keys.
import { generateHex } from '../../../src/platform/ids.ts';
import { PASSWORD } from '../../setup/personas.ts';
import { createLinkToken, createOffer, createStrangersToken } from '../records.ts';
import { callAsOwner, type Tenant } from '../tenant.ts';
import { agentKeys, everybody, managers, denyForeigner, refuseAll, signedIn } from './access.ts';
import { sendNothing, page, type Example, type ResourceExamples } from './example.ts';

const decodeClaims = (token: string): { jti: string; sub: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    jti: string;
    sub: string;
  };

/** None of the callers has a second factor, so the password counts. */
const createFreshProof: Example = () => ({ body: { code: '000000', password: PASSWORD } });

async function createKey(tenant: Tenant): Promise<string> {
  const body = { name: `${tenant.mark} brief` };
  return (await callAsOwner(tenant, 'POST /api/v1/auth/keys', body))._id as string;
}

export const auth: ResourceExamples = {
  access: {
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
    'POST /api/v1/auth/mfa/enable': refuseAll(signedIn, 'INVALID_OPERATION'),
    'POST /api/v1/auth/mfa/disable': refuseAll(signedIn, 'INVALID_OPERATION'),
    'POST /api/v1/auth/mfa/login': refuseAll(everybody, 'TOKEN_VERIFICATION_FAILED'),
    'POST /api/v1/auth/mfa/resend': everybody,
    'POST /api/v1/auth/backup-codes/generate': signedIn,
    'POST /api/v1/auth/refresh': signedIn,
    'POST /api/v1/auth/logout': signedIn,
    'POST /api/v1/auth/revoke-sessions': signedIn,
    'POST /api/v1/auth/revoke-session': denyForeigner(signedIn),
    'GET /api/v1/auth/me': signedIn,
    'GET /api/v1/auth/key': { ...agentKeys, readOnlyKey: 'ok' },
    'GET /api/v1/auth/me/orgs': signedIn,
    'DELETE /api/v1/auth/me/orgs/:id': denyForeigner(signedIn),
    'POST /api/v1/auth/switch-org': denyForeigner(signedIn),
    'GET /api/v1/auth/sessions': signedIn,
    'POST /api/v1/auth/stream-token': signedIn,
    'POST /console/session': signedIn,
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
    'POST /api/v1/auth/keys': denyForeigner(managers),
    'GET /api/v1/auth/keys': managers,
    'PATCH /api/v1/auth/keys/:id': denyForeigner(managers),
    'DELETE /api/v1/auth/keys/:id': denyForeigner(managers),
  },
  examples: {
    'POST /api/v1/auth/register': ({ mark }) => ({
      body: {
        name: `${mark} person`,
        email: `${generateHex(8)}@example.com`,
        password: PASSWORD,
        organizationName: `${mark} Ltd`,
      },
    }),
    'POST /api/v1/auth/login': ({ owner }) => ({
      body: { email: owner.email, password: PASSWORD },
    }),
    // No mail is sent, so that no token appears while other records are counted.
    'POST /api/v1/auth/request-signup': ({ owner }) => ({ body: { email: owner.email } }),
    'POST /api/v1/auth/forgot-password': () => ({
      body: { email: `${generateHex(8)}@example.com` },
    }),
    'POST /api/v1/auth/magic-link': () => ({ body: { email: `${generateHex(8)}@example.com` } }),
    'POST /api/v1/auth/complete-signup': async (tenant) => ({
      body: {
        token: await createLinkToken(tenant, 'signup', {
          userId: '',
          email: `${generateHex(8)}@example.com`,
        }),
        name: `${tenant.mark} person`,
        password: PASSWORD,
        organizationName: `${tenant.mark} Ltd`,
      },
    }),
    'POST /api/v1/auth/reset-password': async (tenant) => ({
      body: { token: await createStrangersToken(tenant, 'reset'), password: PASSWORD },
    }),
    'POST /api/v1/auth/magic-link/verify': async (tenant) => ({
      body: { token: await createStrangersToken(tenant, 'magic-link') },
    }),
    'POST /api/v1/auth/change-password': () => ({
      body: { currentPassword: PASSWORD, newPassword: PASSWORD },
    }),
    'POST /api/v1/auth/mfa/setup': createFreshProof,
    // A second factor set up in another example is removed.
    'POST /api/v1/auth/mfa/enable': async ({ harness }) => {
      await harness.db.collection('users').updateMany({}, { $set: { 'mfa.pendingSecret': null } });
      return { body: { code: '000000' } };
    },
    'POST /api/v1/auth/mfa/disable': () => ({ body: { code: '000000', password: PASSWORD } }),
    'POST /api/v1/auth/mfa/login': () => ({
      body: { tempToken: 'not.signed.here', code: '000000' },
    }),
    'POST /api/v1/auth/mfa/resend': sendNothing,
    'POST /api/v1/auth/backup-codes/generate': createFreshProof,
    'GET /api/v1/auth/key': sendNothing,
    'GET /api/v1/auth/sessions': () => ({ query: page }),
    'POST /api/v1/auth/stream-token': sendNothing,
    'POST /console/session': sendNothing,
    'PATCH /api/v1/auth/me/session-timeout': () => ({ body: { sessionTimeout: '7d' } }),
    'PATCH /api/v1/auth/profile': ({ mark }) => ({
      body: { name: `${mark} person`, locale: 'de-AT', timezone: 'Europe/Vienna' },
    }),
    'GET /api/v1/auth/me/preferences': sendNothing,
    'PATCH /api/v1/auth/me/preferences': () => ({
      body: {
        theme: 'dark',
        notificationOptOuts: { email: ['review.assigned'], inApp: ['incident.created'] },
      },
    }),
    'GET /api/v1/auth/security-settings': sendNothing,
    'GET /api/v1/auth/login-activity': () => ({ query: page }),
    'POST /api/v1/auth/passkeys/registration/options': sendNothing,
    'POST /api/v1/auth/passkeys/registration/verify': sendNothing,
    'POST /api/v1/auth/passkeys/authentication/options': sendNothing,
    'POST /api/v1/auth/passkeys/authentication/verify': sendNothing,
    'DELETE /api/v1/auth/passkeys/:id': ({ agentId }) => ({ params: { id: agentId } }),
    'DELETE /api/v1/auth/trusted-devices/:deviceId': ({ agentId }) => ({
      params: { deviceId: agentId },
    }),
    'POST /api/v1/auth/account/unlock-request': sendNothing,
    'POST /api/v1/auth/password-history/check': sendNothing,
    'POST /api/v1/auth/verify-email': sendNothing,
    'POST /api/v1/auth/resend-verification': sendNothing,
    'POST /api/v1/auth/refresh': sendNothing,
    'POST /api/v1/auth/logout': sendNothing,
    'POST /api/v1/auth/revoke-sessions': sendNothing,
    'POST /api/v1/auth/revoke-session': (_tenant, token) => ({
      body: { jti: decodeClaims(token).jti },
    }),
    'GET /api/v1/auth/me': sendNothing,
    'GET /api/v1/auth/me/orgs': sendNothing,
    'DELETE /api/v1/auth/me/orgs/:id': async (tenant, token) => ({
      params: { id: await createOffer(tenant, decodeClaims(token).sub) },
    }),
    'POST /api/v1/auth/switch-org': ({ owner }) => ({
      body: { organizationId: owner.organizationId },
    }),
    'POST /api/v1/auth/keys': ({ mark, workspaceId, agentId }) => ({
      body: { name: `${mark} key`, workspaceId, scope: { agentIds: [agentId], readOnly: true } },
    }),
    'GET /api/v1/auth/keys': () => ({ query: page }),
    'PATCH /api/v1/auth/keys/:id': async (tenant) => ({
      params: { id: await createKey(tenant) },
      body: {
        name: `${tenant.mark} renamed`,
        scope: { agentIds: [tenant.agentId], readOnly: false },
      },
    }),
    'DELETE /api/v1/auth/keys/:id': async (tenant) => ({ params: { id: await createKey(tenant) } }),
  },
  refused: {
    'POST /api/v1/auth/mfa/enable': 400,
    'POST /api/v1/auth/mfa/disable': 400,
    'POST /api/v1/auth/mfa/login': 401,
  },
};
