// The SCIM token of an organisation.
import { reply, route } from '../../../http/declaration/define-route.ts';
import { newScimTokenView } from './scim-tokens.schemas.ts';
import { mintScimToken } from './scim-tokens.service.ts';

export const scimTokenRoutes = [
  route({
    method: 'post',
    path: '/scim-token',
    summary: 'Mint the SCIM token; shown once, the former one is void at once',
    verified: true,
    auth: 'user',
    // The holder of the token can make owners.
    roles: ['owner'],
    plan: 'scim',
    status: 201,
    data: newScimTokenView,
    audit: { action: 'scim.token.minted', resource: 'scimToken' },
    handler: async ({ ctx }) => reply(201, await mintScimToken(ctx)),
  }),
];
