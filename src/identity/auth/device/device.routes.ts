// Routes of the device flow: a client without a browser asks, a person in a session approves (RFC 8628).
import { z } from 'zod';
import { ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { oauthForm, replyToForm } from '../../../http/declaration/oauth-forms.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import {
  type DeviceAnswer,
  issueDeviceCodes,
  describeDeviceLogin,
  settleDeviceLogin,
  exchangeDeviceCode,
} from './device-logins.service.ts';
import {
  deviceApprovalInput,
  deviceApprovalQuery,
  codeForm,
  deviceRequestView,
  tokenForm,
} from './device.schemas.ts';

const mine = { auth: 'user', limits: [AUTH], roles: ROLES } as const;

/** The token answer of RFC 6749, section 5.1, or the error of section 5.2. */
function toTokenReply(answer: DeviceAnswer) {
  if ('error' in answer) return replyToForm(400, { error: answer.error });
  const { session, userId, expiresIn } = answer;
  const { token, jti, organizationId, role: userRole } = session;
  const body = { access_token: token, token_type: 'Bearer', expires_in: expiresIn };
  const metadata = { jti, method: 'device' };
  return replyToForm(200, body, { organizationId, userId, userRole, metadata });
}

export const deviceRoutes = [
  route({
    method: 'post',
    path: '/code',
    summary: 'Begin the sign-in of a device without a browser (RFC 8628, section 3.1)',
    auth: 'public',
    limits: [AUTH],
    ...oauthForm,
    status: [200, 400],
    writes: 'own',
    body: codeForm,
    data: z.unknown(),
    async handler({ ctx, body, meta }) {
      const answer = await issueDeviceCodes(ctx.platform, body, meta);
      return replyToForm('error' in answer ? 400 : 200, answer);
    },
  }),
  route({
    method: 'post',
    path: '/token',
    summary:
      'The session of a device, once, after a person has approved it (RFC 8628, section 3.4)',
    auth: 'public',
    ...oauthForm,
    status: [200, 400],
    writes: 'own',
    body: tokenForm,
    data: z.unknown(),
    audit: { action: 'auth.device_login', resource: 'session' },
    handler: async ({ ctx, body, meta }) =>
      toTokenReply(await exchangeDeviceCode(ctx.platform, body, meta)),
  }),
  route({
    method: 'get',
    path: '/approve',
    summary: 'What a device asks for, by the code that it shows',
    ...mine,
    query: deviceApprovalQuery,
    data: deviceRequestView,
    handler: ({ ctx, query }) => describeDeviceLogin(ctx.platform, query.userCode),
  }),
  route({
    method: 'post',
    path: '/approve',
    summary: 'Approve or deny a device; approved it acts as the caller, in this organisation',
    ...mine,
    writes: 'own',
    body: deviceApprovalInput,
    data: deviceRequestView,
    audit: { action: 'auth.device_approve', resource: 'session' },
    async handler({ ctx, body }) {
      const { decision } = body;
      const asked = await settleDeviceLogin(ctx, body);
      const { clientName, ip } = asked;
      return reply(200, asked, { audit: { metadata: { decision, clientName, ip } } });
    },
  }),
];
