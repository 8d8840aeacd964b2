// Incidents and the clocks of their regulators: open, change, close, complete checkpoints (document 3, section 4.2).
import { z } from 'zod';
import { MANAGERS, WRITERS } from '../../domain/identity/roles.ts';
import { type AuditDetails, reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import { type CompletedCheckpoint, completeIncidentCheckpoint } from './checkpoints.service.ts';
import {
  checkpointParams,
  clockCheckpointInput,
  clockParams,
  clockView,
  closeInput,
  completionInput,
  incidentChange,
  incidentInput,
  incidentQuery,
  incidentView,
} from './incidents.schemas.ts';
import {
  type ChangedIncident,
  closeIncident,
  getIncident,
  listClocks,
  listIncidents,
  openIncident,
  updateIncident,
} from './incidents.service.ts';

const plan = 'multiClockIncidents' as const;
const read = { auth: 'reader', plan } as const;
const write = { auth: 'user', roles: WRITERS, plan } as const;
const toAudit = (action: string) => ({ action, resource: 'incident' });

/** The two ways to complete a checkpoint write the same record. */
const complete = {
  ...write,
  failedCode: 'CHECKPOINT_COMPLETE_FAILED',
  data: incidentView,
  codes: ['INVALID_OPERATION'],
  audit: toAudit('incident.checkpoint_complete'),
} as const;
const replyCompleted = ({ incident, checkpoint }: CompletedCheckpoint) =>
  reply(200, incident, { audit: { metadata: { ...checkpoint } } });

const describeTransition = ({ incident, before }: ChangedIncident): AuditDetails => ({
  action: 'incident.transition',
  metadata: { from: before.status, to: incident.status },
});

/** Returns one audit entry for changed fields, with moved deadlines, and one for a changed status. */
function describeChanges(changed: ChangedIncident, fields: readonly string[]): AuditDetails[] {
  const { incident, before } = changed;
  const isMoved = incident.detectedAt.getTime() !== before.detectedAt.getTime();
  const span = { from: before.detectedAt.toISOString(), to: incident.detectedAt.toISOString() };
  const metadata = { fields, ...(isMoved && { detectedAt: span }) };
  const isTransition = incident.status !== before.status;
  const others = fields.filter((name) => name !== 'status');
  return [
    ...(others.length > 0 || !isTransition ? [{ metadata }] : []),
    ...(isTransition ? [describeTransition(changed)] : []),
  ];
}

export const incidentRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List incidents, newest first',
    ...read,
    failedCode: 'INCIDENT_LIST_FAILED',
    query: incidentQuery,
    page: { limit: 50, max: 200 },
    data: incidentView,
    handler: ({ ctx, query, page }) => listIncidents(ctx, query, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Open an incident and start the clocks of its regulators',
    ...write,
    failedCode: 'INCIDENT_CREATE_FAILED',
    status: 201,
    body: incidentInput,
    data: incidentView,
    audit: toAudit('incident.create'),
    handler: async ({ ctx, body }) => reply(201, await openIncident(ctx, body)),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One incident with its clocks as they stand',
    ...read,
    failedCode: 'INCIDENT_GET_FAILED',
    params: byId,
    data: incidentView,
    handler: ({ ctx, params }) => getIncident(ctx, params.id),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change an incident; closing it, and opening it again, is for managers',
    ...write,
    failedCode: 'INCIDENT_UPDATE_FAILED',
    params: byId,
    body: incidentChange,
    data: incidentView,
    audit: toAudit('incident.update'),
    readLastChange: async ({ ctx, params }) => (await getIncident(ctx, params.id)).updatedAt,
    async handler({ ctx, params, body: change }) {
      const changed = await updateIncident(ctx, params.id, change);
      return reply(200, changed.incident, { audit: describeChanges(changed, Object.keys(change)) });
    },
  }),
  route({
    method: 'post',
    path: '/:id/close',
    summary: 'Close an incident with its root cause; its clocks run on',
    auth: 'user',
    roles: MANAGERS,
    plan,
    failedCode: 'INCIDENT_CLOSE_FAILED',
    params: byId,
    body: closeInput,
    data: incidentView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('incident.transition'),
    async handler({ ctx, params, body }) {
      const changed = await closeIncident(ctx, params.id, body);
      return reply(200, changed.incident, { audit: describeTransition(changed) });
    },
  }),
  route({
    method: 'get',
    path: '/:id/clocks',
    summary: 'The clocks of an incident as they stand',
    ...read,
    failedCode: 'INCIDENT_CLOCKS_FAILED',
    params: byId,
    data: z.array(clockView),
    handler: ({ ctx, params }) => listClocks(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/:id/clocks/:clockId/checkpoint',
    summary: 'Complete a checkpoint, named by its clock and index',
    ...complete,
    params: clockParams,
    body: clockCheckpointInput,
    async handler({ ctx, params: { id, clockId }, body }) {
      const { checkpointIndex: index, evidenceTraceId, notes } = body;
      const evidence = { evidenceTraceId, notes, evidenceUrl: null };
      const name = { clockId, index };
      return replyCompleted(await completeIncidentCheckpoint(ctx, { id, name }, evidence));
    },
  }),
  route({
    method: 'post',
    path: '/:id/checkpoints/:checkpointId/complete',
    summary: 'Complete a checkpoint, named by its id',
    ...complete,
    params: checkpointParams,
    body: completionInput,
    async handler({ ctx, params: { id, checkpointId }, body: evidence }) {
      const name = { checkpointId };
      return replyCompleted(await completeIncidentCheckpoint(ctx, { id, name }, evidence));
    },
  }),
];
