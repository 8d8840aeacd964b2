// Witnesses compare the chain with what they have seen of it (document 1, section 7).
import { route } from '../../http/declaration/define-route.ts';
import { gossipInput, gossipView } from './witness.schemas.ts';

export const witnessRoutes = [
  route({
    method: 'post',
    path: '/gossip',
    summary:
      'Tell a chain head that was seen, signed with a shared key; the answer is ours, signed',
    auth: 'public',
    writes: 'none',
    bodyLimit: 8 * 1024,
    body: gossipInput,
    data: gossipView,
    codes: ['CONFIG_ERROR', 'INVALID_TIMESTAMP', 'WITNESS_AUTH_FAILED'],
    handler: ({ body }, { witness }) => witness.compare(body),
  }),
];
