// Routes of the ML-BOM of an agent, of the agent behind a decision, and of refreshing its stored digest.
import type { MlBom } from '../../../domain/agents/ml-bom.ts';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId, byTrace } from '../../../http/declaration/views.ts';
import { mlBomExtra, mlBomView, refreshedView } from './ml-bom.schemas.ts';
import { generateMlBom, refreshMlBom, generateMlBomOfProducer } from './ml-bom.service.ts';

const read = {
  auth: 'reader',
  agentScope: 'filtered',
  params: byId,
  data: mlBomView,
  extra: mlBomExtra,
} as const;

/** Puts the digest beside the document that it covers. */
const withDigest = ({ bom, digest }: { bom: MlBom; digest: string }) =>
  reply(200, bom, { extra: { digest } });

/** Routes below an agent. */
export const mlBomRoutes = [
  route({
    method: 'get',
    path: '/:id/ml-bom',
    summary: 'CycloneDX 1.7 ML-BOM of what is stated of the model now',
    ...read,
    handler: async ({ ctx, params }) => withDigest(await generateMlBom(ctx, params.id)),
  }),
  route({
    method: 'post',
    path: '/:id/ml-bom/refresh',
    summary: 'Recompute and keep the digest of the ML-BOM',
    auth: 'user',
    roles: MANAGERS,
    params: byId,
    data: refreshedView,
    audit: { action: 'agent.refresh_ml_bom', resource: 'agent' },
    handler: ({ ctx, params }) => refreshMlBom(ctx, params.id),
  }),
];

/** Routes below a decision. */
export const producerMlBomRoutes = [
  route({
    method: 'get',
    path: '/:id/ml-bom',
    summary: 'ML-BOM of the producing agent',
    ...read,
    params: byTrace,
    handler: async ({ ctx, params }) => withDigest(await generateMlBomOfProducer(ctx, params.id)),
  }),
];
