// Decisions.
import { generateHex } from '../../../src/platform/ids.ts';
import { createDecisionBody } from '../bodies.ts';
import { createDecision } from '../records.ts';
import {
  agentKeys,
  managers,
  denyForeigner,
  owners,
  requirePaidPlan,
  readers,
  readersInPerson,
  writers,
} from './access.ts';
import { deriveParentId, deriveSessionId } from '../bodies.ts';
import { callAsOwner, type Tenant } from '../tenant.ts';
import { type Example, sendNothing, page, type ResourceExamples } from './example.ts';

const selectTrace: Example = ({ traceId }) => ({ params: { id: traceId } });

const createFilters = ({
  agentId,
  policyId,
  traceName,
  workspaceId,
  mark,
}: Tenant): Record<string, string> => ({
  status: 'approved',
  agentId,
  policyId,
  traceId: traceName,
  sessionId: deriveSessionId(mark),
  parentTraceId: deriveParentId(mark),
  humanOverride: 'false',
  observed: 'false',
  minConfidence: '0.1',
  maxConfidence: '1',
  dateFrom: '2025-01-01',
  dateTo: '2045-01-01T00:00:00Z',
  search: 'rationale',
  text: 'rationale',
  tool: 'send_*',
  tag: 'PII_EMAIL',
  workspaceId,
  minAmount: '1',
  maxAmount: '1000',
  heldSeconds: '60',
  decidedBy: 'undecided',
});

/** Members of a decision that take any JSON. */
const FREE = [
  'metadata',
  'metadata.note',
  'outputDecision.action',
  'alternatives.0.decision',
  'inputContext',
  'outputDecision',
];

export const traces: ResourceExamples = {
  access: {
    'POST /api/v1/traces': agentKeys,
    'POST /api/v1/traces/batch': agentKeys,
    'GET /api/v1/traces': readers,
    'GET /api/v1/traces/series': denyForeigner(readers),
    'GET /api/v1/traces/views': readersInPerson,
    'POST /api/v1/traces/views': readersInPerson,
    'DELETE /api/v1/traces/views/:id': denyForeigner(managers),
    'GET /api/v1/traces/stream': { ...readers, agentKey: 'ok' },
    'GET /api/v1/traces/export': requirePaidPlan(readers),
    'GET /api/v1/traces/:id': { ...denyForeigner(readers), agentKey: 'ok' },
    'GET /api/v1/traces/:id/explanation': denyForeigner(readers),
    'GET /api/v1/traces/:id/ml-bom': denyForeigner(readers),
    'POST /api/v1/traces/memory': requirePaidPlan(readersInPerson),
    'POST /api/v1/traces/bulk-status': writers,
    'POST /api/v1/traces/bulk-delete': managers,
    'POST /api/v1/traces/purge': owners,
  },
  examples: {
    'POST /api/v1/traces': ({ agentId, mark }) => ({ body: createDecisionBody(agentId, mark) }),
    'POST /api/v1/traces/batch': ({ agentId, mark }) => ({
      body: { decisions: [createDecisionBody(agentId, mark)] },
    }),
    'GET /api/v1/traces': (tenant) => ({ query: { ...page, ...createFilters(tenant) } }),
    'GET /api/v1/traces/series': ({ agentId }) => ({
      query: { bucket: 'day', by: 'status', agentId, dateFrom: '2026-01-01', dateTo: '2026-01-02' },
    }),
    'GET /api/v1/traces/views': sendNothing,
    'POST /api/v1/traces/views': ({ mark }) => ({
      body: { name: `${mark} ${generateHex(4)}`, query: 'tool=cancel_*', shared: false },
    }),
    'DELETE /api/v1/traces/views/:id': async (tenant) => {
      const body = { name: generateHex(8), query: '', shared: true };
      const made = await callAsOwner(tenant, 'POST /api/v1/traces/views', body);
      return { params: { id: made._id as string } };
    },
    'GET /api/v1/traces/stream': () => ({ query: { lastEventId: '1' } }),
    'GET /api/v1/traces/export': (tenant) => ({ query: createFilters(tenant) }),
    'GET /api/v1/traces/:id': ({ traceId }) => ({ params: { id: traceId }, query: { wait: '1' } }),
    'GET /api/v1/traces/:id/explanation': selectTrace,
    'GET /api/v1/traces/:id/ml-bom': selectTrace,
    'POST /api/v1/traces/memory': () => ({
      body: { query: 'reply to the customer', topK: 5, minScore: 0.1, judged: false },
    }),
    'POST /api/v1/traces/bulk-status': ({ traceId }) => ({
      body: { ids: [traceId], status: 'approved' },
    }),
    'POST /api/v1/traces/purge': () => ({ body: { before: '2020-01-01T00:00:00Z' } }),
    'POST /api/v1/traces/bulk-delete': async (tenant) => ({
      body: { ids: [await createDecision(tenant)] },
    }),
  },
  freeForm: {
    'POST /api/v1/traces': FREE,
    'POST /api/v1/traces/batch': FREE.map((path) => `decisions.0.${path}`),
  },
};

/** What one agent did under one name. */
export const sessions: ResourceExamples = {
  access: {
    'GET /api/v1/sessions': readers,
    'GET /api/v1/sessions/:id': denyForeigner(readers),
    'GET /api/v1/sessions/:id/steps': denyForeigner(readers),
    'POST /api/v1/sessions/:id/replay': denyForeigner(readersInPerson),
  },
  examples: {
    'GET /api/v1/sessions': ({ agentId, mark }) => ({
      query: {
        ...page,
        agentId,
        sessionId: deriveSessionId(mark),
        label: 'private',
        status: 'held',
        dateFrom: '2025-01-01',
        dateTo: '2045-01-01T00:00:00Z',
      },
    }),
    'GET /api/v1/sessions/:id': selectTrace,
    'GET /api/v1/sessions/:id/steps': ({ traceId }) => ({
      params: { id: traceId },
      query: { before: '1000', limit: '10' },
    }),
    'POST /api/v1/sessions/:id/replay': ({ traceId }) => ({
      params: { id: traceId },
      body: { limit: 10 },
    }),
  },
};
