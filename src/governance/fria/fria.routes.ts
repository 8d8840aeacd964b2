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
import type { MovedAssessment } from './fria.service.ts';

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
    handler: ({ tenant, query, page }, { fria }) =>
      fria.assessments.listAssessments(tenant, query, page),
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
    handler: async ({ tenant, body }, { fria }) =>
      reply(201, await fria.assessments.create(tenant, body)),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One impact assessment and how complete it is',
    ...read,
    failedCode: 'FRIA_GET_FAILED',
    params: byId,
    data: assessmentView,
    handler: ({ tenant, params }, { fria }) => fria.assessments.getAssessment(tenant, params.id),
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
    async handler({ tenant, params: { id } }, { fria }) {
      const body = await fria.printing.print(tenant, id);
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
    async handler({ tenant, params, body }, { fria }) {
      const changed = await fria.assessments.update(tenant, params.id, body);
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
    async handler({ tenant, user, params, body: { status: to } }, { fria }) {
      return replyMoved(
        await fria.assessments.moveAssessment(tenant, user, { id: params.id, to }),
        to,
      );
    },
  }),
  route({
    method: 'post',
    path: '/:id/submit',
    summary: 'Move a draft to review',
    ...move,
    roles: WRITERS,
    async handler({ tenant, user, params: { id } }, { fria }) {
      return replyMoved(
        await fria.assessments.moveAssessment(tenant, user, { id, to: 'review' }),
        'review',
      );
    },
  }),
  route({
    method: 'post',
    path: '/:id/approve',
    summary: 'Approve what is in review',
    ...move,
    roles: MANAGERS,
    async handler({ tenant, user, params: { id } }, { fria }) {
      return replyMoved(
        await fria.assessments.moveAssessment(tenant, user, { id, to: 'approved' }),
        'approved',
      );
    },
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
    handler: ({ tenant, params }, { fria }) => fria.assessments.remove(tenant, params.id),
  }),
];
