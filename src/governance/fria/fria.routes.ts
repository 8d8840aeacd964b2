// Fundamental-rights impact assessments: list, draft, change, move, delete (document 3, section 4.1).
import { z } from 'zod';
import type { AssessmentStatus } from '../../domain/fria/assessment-status.ts';
import { MANAGERS, WRITERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  assessmentChange,
  assessmentInput,
  assessmentQuery,
  assessmentView,
  deletedAssessmentView,
  transitionInput,
} from './fria.schemas.ts';
import { printAssessment } from './fria-print.service.ts';
import {
  createAssessment,
  getAssessment,
  listAssessments,
  type MovedAssessment,
  moveAssessment,
  removeAssessment,
  updateAssessment,
} from './fria.service.ts';

const plan = 'friaWizard' as const;
const read = { auth: 'reader', agentScope: 'irrelevant', plan } as const;
const draft = { auth: 'user', roles: WRITERS, plan } as const;
const toAudit = (action: string) => ({ action, resource: 'fria' });

/** Declaration shared by the three routes that move an assessment. */
const move = {
  auth: 'user',
  plan,
  params: byId,
  data: assessmentView,
  codes: ['FRIA_TRANSITION_FAILED'],
  audit: toAudit('fria.transition'),
} as const;

const replyMoved = ({ assessment, from }: MovedAssessment, to: AssessmentStatus) =>
  reply(200, assessment, { audit: { metadata: { from, to, chainHash: assessment.chainHash } } });

export const friaRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List impact assessments, newest first',
    ...read,
    failedCode: 'FRIA_LIST_FAILED',
    query: assessmentQuery,
    page: { limit: 50, max: 200 },
    data: assessmentView,
    handler: ({ ctx, query, page }) => listAssessments(ctx, query, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Draft an impact assessment',
    ...draft,
    failedCode: 'FRIA_CREATE_FAILED',
    status: 201,
    body: assessmentInput,
    data: assessmentView,
    audit: toAudit('fria.create'),
    handler: async ({ ctx, body }) => reply(201, await createAssessment(ctx, body)),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One impact assessment and how complete it is',
    ...read,
    failedCode: 'FRIA_GET_FAILED',
    params: byId,
    data: assessmentView,
    handler: ({ ctx, params }) => getAssessment(ctx, params.id),
  }),
  route({
    method: 'get',
    path: '/:id/pdf',
    summary: 'An approved impact assessment, printed',
    ...read,
    kind: 'file',
    mediaType: 'application/pdf',
    heavy: true,
    failedCode: 'FRIA_GET_FAILED',
    params: byId,
    data: z.unknown(),
    codes: ['INVALID_OPERATION'],
    async handler({ ctx, params: { id } }) {
      const body = await printAssessment(ctx, id);
      return reply(200, { type: 'application/pdf', filename: `fria-${id}.pdf`, body });
    },
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change an impact assessment that is a draft or in review',
    ...draft,
    failedCode: 'FRIA_UPDATE_FAILED',
    params: byId,
    body: assessmentChange,
    data: assessmentView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('fria.update'),
    async handler({ ctx, params, body }) {
      const changed = await updateAssessment(ctx, params.id, body);
      return reply(200, changed, { audit: { metadata: { fields: Object.keys(body) } } });
    },
  }),
  route({
    method: 'post',
    path: '/:id/transition',
    summary:
      'Move an impact assessment to another status; approving and undoing it is for managers',
    ...move,
    roles: WRITERS,
    body: transitionInput,
    handler: async ({ ctx, params, body: { status: to } }) =>
      replyMoved(await moveAssessment(ctx, params.id, to), to),
  }),
  route({
    method: 'post',
    path: '/:id/submit',
    summary: 'Move a draft to review',
    ...move,
    roles: WRITERS,
    handler: async ({ ctx, params }) =>
      replyMoved(await moveAssessment(ctx, params.id, 'review'), 'review'),
  }),
  route({
    method: 'post',
    path: '/:id/approve',
    summary: 'Approve what is in review',
    ...move,
    roles: MANAGERS,
    handler: async ({ ctx, params }) =>
      replyMoved(await moveAssessment(ctx, params.id, 'approved'), 'approved'),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Delete a draft that was never submitted',
    ...draft,
    failedCode: 'FRIA_DELETE_FAILED',
    params: byId,
    data: deletedAssessmentView,
    audit: toAudit('fria.delete'),
    handler: ({ ctx, params }) => removeAssessment(ctx, params.id),
  }),
];
