// Replays of candidates over stored decisions (document 2, section 4.2; decisions: replay).
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId, byTrace } from '../../http/declaration/views.ts';
import {
  replayInput,
  replayOfPolicyInput,
  replayView,
  sessionReplayInput,
  sessionReplayView,
} from './replay.schemas.ts';
import {
  cancelReplay,
  getReplay,
  listReplays,
  startNewPolicyReplay,
  startPolicyReplay,
} from './replay.service.ts';
import { replaySession } from './session-replay.service.ts';

const manage = { auth: 'user', roles: MANAGERS, data: replayView } as const;
const codes = ['INVALID_OPERATION'] as const;
const toAudit = (action: string) => ({ action, resource: 'policy_replay' });

export const policyReplayRoutes = [
  route({
    method: 'post',
    path: '/_new/replay',
    summary: 'Run a new policy over stored decisions in the background',
    ...manage,
    status: 202,
    body: replayInput,
    codes,
    audit: toAudit('policy.replay.start'),
    handler: async ({ ctx, body }) => reply(202, await startNewPolicyReplay(ctx, body)),
  }),
  route({
    method: 'post',
    path: '/:id/replay',
    summary: 'Run a policy, or a candidate for it, over stored decisions in the background',
    ...manage,
    status: 202,
    params: byId,
    body: replayOfPolicyInput,
    codes,
    audit: toAudit('policy.replay.start'),
    handler: async ({ ctx, params, body }) =>
      reply(202, await startPolicyReplay(ctx, params.id, body)),
  }),
  route({
    method: 'get',
    path: '/replays',
    summary: 'List replays, newest first',
    auth: 'user',
    page: { limit: 25, max: 100 },
    data: replayView,
    handler: ({ ctx, page }) => listReplays(ctx, page),
  }),
  route({
    method: 'get',
    path: '/replays/:id',
    summary: 'How far a replay is, and what would have changed',
    auth: 'user',
    params: byId,
    data: replayView,
    handler: ({ ctx, params }) => getReplay(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/replays/:id/cancel',
    summary: 'End a replay; what was counted until then stays',
    ...manage,
    params: byId,
    codes,
    audit: toAudit('policy.replay.cancel'),
    handler: ({ ctx, params }) => cancelReplay(ctx, params.id),
  }),
];

/** Below a session, since it is read beside it. */
export const sessionReplayRoutes = [
  route({
    method: 'post',
    path: '/:id/replay',
    summary: 'What the policies of today would say of the decisions of a session',
    auth: 'user',
    writes: 'none',
    heavy: true,
    params: byTrace,
    body: sessionReplayInput,
    data: sessionReplayView,
    handler: ({ ctx, params, body }) => replaySession(ctx, params.id, body),
  }),
];
