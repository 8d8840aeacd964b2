// Halts: stop an agent or more, see what is under way, and let it go on with a second person (design: control).
import { MANAGERS, REVIEWERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  haltDetail,
  haltInput,
  haltQuery,
  haltView,
  ownHaltInput,
  resumptionInput,
} from './halts.schemas.ts';
import {
  getHalt,
  type Halted,
  beginOwnHalt,
  beginHalt,
  listHalts,
  resumeHalt,
} from './halts.service.ts';

const read = { auth: 'reader' } as const;
const toAudit = (action: string) => ({ action, resource: 'halt' });

const replyHalted = ({ halt, isNew }: Halted) =>
  reply(isNew ? 201 : 200, halt, {
    audit: { resourceId: String(halt.id), metadata: { scope: halt.scope } },
  });

export const haltRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List halts, newest first',
    ...read,
    query: haltQuery,
    page: { limit: 50, max: 200 },
    data: haltView,
    handler: ({ ctx, query, page }) => listHalts(ctx, query, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Halt a session, an agent, a workspace, a person or everything; again without effect',
    auth: 'user',
    roles: REVIEWERS,
    writes: 'own',
    status: [200, 201],
    body: haltInput,
    data: haltDetail,
    codes: ['INVALID_OPERATION', 'CONFLICT'],
    audit: toAudit('halt.begin'),
    handler: async ({ ctx, body }) => replyHalted(await beginHalt(ctx, body)),
  }),
  route({
    method: 'post',
    path: '/own',
    summary: "Halt the key's own agent, a session of it, or its workspace",
    auth: 'anyKey',
    writes: 'own',
    status: [200, 201],
    body: ownHaltInput,
    data: haltDetail,
    codes: ['INVALID_OPERATION', 'CONFLICT'],
    audit: toAudit('halt.begin'),
    handler: async ({ ctx, body }) => replyHalted(await beginOwnHalt(ctx, body)),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One halt with its history, and what was claimed before and has not ended',
    ...read,
    params: byId,
    data: haltDetail,
    handler: ({ ctx, params }) => getHalt(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/:id/resume',
    summary: 'Ask that it goes on, or confirm that as a second person',
    auth: 'user',
    roles: MANAGERS,
    status: [200, 202],
    params: byId,
    body: resumptionInput,
    data: haltDetail,
    codes: ['INVALID_OPERATION', 'CONFLICT'],
    audit: toAudit('halt.resume'),
    async handler({ ctx, params, body }) {
      const { halt, word } = await resumeHalt(ctx, params.id, body);
      const audit = { metadata: { to: body.to, step: word === 'given' ? 'effect' : 'request' } };
      return reply(word === 'given' ? 200 : 202, halt, { audit });
    },
  }),
];
