// Saved views of the list of decisions: list, make, remove.
import { z } from 'zod';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { deletedSavedView, savedViewInput, savedViewView } from './saved-views.schemas.ts';
import { createSavedView, listSavedViews, removeSavedView } from './saved-views.service.ts';

export const savedViewRoutes = [
  route({
    method: 'get',
    path: '/views',
    summary: 'The saved views that one has: own ones, and those that are shared',
    auth: 'user',
    data: z.array(savedViewView),
    handler: ({ ctx }) => listSavedViews(ctx),
  }),
  route({
    method: 'post',
    path: '/views',
    summary: 'Save a search by a name, for oneself or for the workspace',
    auth: 'user',
    status: 201,
    body: savedViewInput,
    data: savedViewView,
    codes: ['ALREADY_EXISTS', 'INVALID_OPERATION'],
    audit: { action: 'trace_view.create', resource: 'trace_view' },
    async handler({ ctx, body }) {
      const view = await createSavedView(ctx, body);
      const { _id, name, shared } = view;
      const audit = { resourceId: String(_id), metadata: { name, shared } };
      return reply(201, view, { audit });
    },
  }),
  route({
    method: 'delete',
    path: '/views/:id',
    summary: 'Remove a saved view; a shared one by an owner or admin',
    auth: 'user',
    params: byId,
    data: deletedSavedView,
    audit: { action: 'trace_view.delete', resource: 'trace_view' },
    handler: ({ ctx, params }) => removeSavedView(ctx, params.id),
  }),
];
