// Groups of decisions that were held or blocked for one reason.
import { z } from 'zod';
import { REVIEWERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import {
  byGroup,
  groupsExtra,
  groupsQuery,
  decisionGroupView,
  muteInput,
} from './groups.schemas.ts';
import { listGroups } from './groups.service.ts';
import { muteGroup, unmuteGroup } from './mutes.service.ts';

export const groupRoutes = [
  route({
    method: 'get',
    path: '/groups',
    summary: 'Held and blocked decisions that are alike, each group once',
    auth: 'reader',
    agentScope: 'filtered',
    heavy: true,
    query: groupsQuery,
    data: z.array(decisionGroupView),
    extra: groupsExtra,
    async handler({ ctx, query }) {
      const { groups, since } = await listGroups(ctx, query);
      return reply(200, groups, { extra: { since } });
    },
  }),
  route({
    method: 'put',
    path: '/groups/:group/mute',
    summary: 'Mute a group for a while',
    auth: 'user',
    roles: REVIEWERS,
    writes: 'own',
    codes: ['INVALID_OPERATION', 'NOT_FOUND'],
    params: byGroup,
    body: muteInput,
    data: decisionGroupView.shape.muted.unwrap(),
    audit: { action: 'decision_group.mute', resource: 'decision_group' },
    async handler({ ctx, params: { group }, body }) {
      const mute = await muteGroup(ctx, group, body);
      return reply(200, mute, { audit: { resourceId: group, metadata: { until: body.until } } });
    },
  }),
  route({
    method: 'delete',
    path: '/groups/:group/mute',
    summary: 'Hear of a group again',
    auth: 'user',
    roles: REVIEWERS,
    writes: 'own',
    codes: ['NOT_FOUND'],
    params: byGroup,
    data: z.object({ group: z.string(), muted: z.null() }),
    audit: { action: 'decision_group.unmute', resource: 'decision_group' },
    async handler({ ctx, params: { group } }) {
      await unmuteGroup(ctx, group);
      return reply(200, { group, muted: null }, { audit: { resourceId: group } });
    },
  }),
];
