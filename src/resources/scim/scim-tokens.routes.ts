// The organisation's SCIM token: a new one replaces the old one at once (document 1, section 3).
import { reply, route } from '../../http/define-route.ts';
import { scimTokenView } from './scim-tokens.schemas.ts';

export const scimTokenRoutes = [
  route({
    method: 'post',
    path: '/scim-token',
    summary: 'Mint the SCIM token; the one before is void at once',
    auth: 'user',
    // Whoever holds the token can make owners.
    roles: ['owner'],
    plan: 'scim',
    status: 201,
    data: scimTokenView,
    audit: { action: 'scim.token.created', resource: 'scim_token' },
    handler: async ({ tenant }, { scimTokens }) => reply(201, await scimTokens.mint(tenant)),
  }),
];
