// Routes of delegations: list, make and end.
import { z } from 'zod';
import { REVIEWERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  delegationInput,
  type DelegationView,
  delegationView,
  endedDelegationView,
} from './delegations.schemas.ts';
import { addDelegation, endDelegation, listDelegations } from './delegations.service.ts';

const decide = { auth: 'user', roles: REVIEWERS } as const;
const toAudit = (action: string) => ({ action, resource: 'delegation' });

export const delegationRoutes = [
  route({
    method: 'get',
    path: '/delegations',
    summary: 'Who decides in whose place, now or later',
    auth: 'user',
    data: z.array(delegationView),
    handler: ({ ctx }) => listDelegations(ctx),
  }),
  route({
    method: 'post',
    path: '/delegations',
    summary: 'Have another member decide in your place for a time',
    ...decide,
    status: 201,
    body: delegationInput,
    data: delegationView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('team.delegation.made'),
    handler: async ({ ctx, body }) => {
      const made = await addDelegation(ctx, body);
      return reply(201, made, { audit: { metadata: toMetadata(made) } });
    },
  }),
  route({
    method: 'delete',
    path: '/delegations/:id',
    summary: 'End a delegation: your own, or any as owner or admin',
    ...decide,
    params: byId,
    data: endedDelegationView,
    audit: toAudit('team.delegation.ended'),
    handler: async ({ ctx, params }) => {
      const found = await endDelegation(ctx, params.id);
      return reply(
        200,
        { ...found, ended: true as const },
        {
          audit: { metadata: toMetadata(found) },
        },
      );
    },
  }),
];

const toMetadata = ({ userId, delegateId, from, until }: DelegationView) => ({
  userId,
  delegateId,
  from,
  until,
});
