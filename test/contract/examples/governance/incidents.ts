// Incidents: opened by every writing role, closed by managers; not for keys that are limited to some agents.
import type { Tenant } from '../../tenant.ts';
import {
  refuseScopedKey,
  managers,
  denyForeigner,
  requirePaidPlan,
  readers,
  readersInPerson,
  writers,
} from '../access.ts';
import { type Example, sendNothing, page, type ResourceExamples } from '../example.ts';

const createFields = (mark: string) => ({
  title: `${mark} title`,
  summary: `${mark} summary`,
  severity: 'high',
  category: 'data_breach',
  triggerTraceIds: [`${mark} trace`],
  relatedAgentIds: [`${mark} agent`],
  detectedAt: '2026-01-31T10:00:00Z',
  externalRef: `${mark} ticket`,
});
const createBody = (mark: string) => ({
  ...createFields(mark),
  regulators: [
    {
      code: 'nis2',
      name: `${mark} authority`,
      contactEmail: `${mark}@example.com`,
      submissionRef: `${mark} reference`,
      applicabilityReason: `${mark} reason`,
    },
  ],
});
const NONE = { id: '0'.repeat(24), clocks: [{ id: '0'.repeat(24) }] };

/** Unknown ids, where the plan has no incidents. */
async function createIncident({ harness, owner, mark }: Tenant): Promise<typeof NONE> {
  const call = { token: owner.token, body: createBody(mark) };
  const made = await harness.app.call('POST', '/api/v1/incidents', call);
  return made.body.code === 'UPGRADE_REQUIRED' ? NONE : (made.body.data as typeof NONE);
}

const withBody =
  (bodyFor?: (mark: string) => Record<string, unknown>): Example =>
  async (tenant) => ({
    params: { id: (await createIncident(tenant)).id },
    ...(bodyFor && { body: bodyFor(tenant.mark) }),
  });

const reading = requirePaidPlan(refuseScopedKey(readers));

export const incidents: ResourceExamples = {
  access: {
    'GET /api/v1/incidents': reading,
    'POST /api/v1/incidents': requirePaidPlan(writers),
    'GET /api/v1/incidents/:id': denyForeigner(reading),
    'PATCH /api/v1/incidents/:id': requirePaidPlan(denyForeigner(writers)),
    'GET /api/v1/incidents/calendar.ics': requirePaidPlan(readersInPerson),
    'POST /api/v1/incidents/calendar/token': requirePaidPlan(readersInPerson),
    'DELETE /api/v1/incidents/calendar/token': requirePaidPlan(readersInPerson),
    'POST /api/v1/incidents/:id/close': requirePaidPlan(denyForeigner(managers)),
    'GET /api/v1/incidents/:id/clocks': denyForeigner(reading),
    'POST /api/v1/incidents/:id/clocks/:clockId/checkpoint': requirePaidPlan(
      denyForeigner(writers),
    ),
    'POST /api/v1/incidents/:id/checkpoints/:checkpointId/complete': requirePaidPlan(
      denyForeigner(writers),
    ),
  },
  examples: {
    'GET /api/v1/incidents': ({ mark }) => ({
      query: { ...page, status: 'open', severity: 'high', regulator: 'nis2', search: mark },
    }),
    'POST /api/v1/incidents': ({ mark }) => ({ body: createBody(mark) }),
    'GET /api/v1/incidents/:id': withBody(),
    'PATCH /api/v1/incidents/:id': withBody((mark) => ({
      ...createFields(mark),
      // The status is unchanged: a transition would add an audit entry.
      status: 'open',
    })),
    'GET /api/v1/incidents/calendar.ics': sendNothing,
    'POST /api/v1/incidents/calendar/token': sendNothing,
    'DELETE /api/v1/incidents/calendar/token': sendNothing,
    'POST /api/v1/incidents/:id/close': withBody((mark) => ({
      rootCause: `${mark} cause`,
      remediation: `${mark} remediation`,
      notes: `${mark} notes`,
    })),
    'GET /api/v1/incidents/:id/clocks': withBody(),
    'POST /api/v1/incidents/:id/clocks/:clockId/checkpoint': async (tenant) => {
      const { id, clocks } = await createIncident(tenant);
      return {
        params: { id, clockId: clocks[0]?.id ?? '' },
        body: {
          checkpointIndex: 0,
          evidenceTraceId: `${tenant.mark} evidence`,
          notes: `${tenant.mark} notes`,
        },
      };
    },
    'POST /api/v1/incidents/:id/checkpoints/:checkpointId/complete': async (tenant) => ({
      params: { id: (await createIncident(tenant)).id, checkpointId: 'cp-1' },
      body: {
        evidenceTraceId: `${tenant.mark} evidence`,
        evidenceUrl: 'https://evidence.example.com/report',
        notes: `${tenant.mark} notes`,
      },
    }),
  },
};
