// The route by which a workload without a key gets a run token (RFC 8693).
import { z } from 'zod';
import { route } from '../../../http/declaration/define-route.ts';
import { oauthForm, replyToForm } from '../../../http/declaration/oauth-forms.ts';
import { type ExchangeAnswer, exchangeToken } from './exchange.service.ts';
import { ACCESS_TOKEN, exchangeForm } from './exchange.schemas.ts';

/** The answer of RFC 8693, section 2.2. */
function toExchangeReply(answer: ExchangeAnswer) {
  if ('error' in answer) {
    const { error, description } = answer;
    return replyToForm(400, { error, error_description: description });
  }
  const { token, expiresIn, organizationId, agentId, principal, userId } = answer;
  const { trust, workload, chain, grant } = principal;
  const audit = {
    organizationId,
    resourceId: agentId,
    ...(userId !== undefined && { userId }),
    metadata: { trustId: trust, workload, chain, grant },
  };
  const body = {
    access_token: token,
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: expiresIn,
  };
  return replyToForm(200, body, audit);
}

export const exchangeRoutes = [
  route({
    method: 'post',
    path: '/token',
    summary: 'The run token of an agent for the token of a workload (RFC 8693)',
    auth: 'public',
    ...oauthForm,
    status: [200, 400],
    writes: 'own',
    codes: ['IDENTITY_PROVIDER_UNAVAILABLE', 'SSRF_BLOCKED'],
    body: exchangeForm,
    data: z.unknown(),
    audit: { action: 'agent.token_exchange', resource: 'agent' },
    handler: async ({ ctx, body }) => toExchangeReply(await exchangeToken(ctx.platform, body)),
  }),
];
