// Incidents: opened by every writing role, closed by managers; not for keys that are limited to some agents.
import type { Tenant } from '../../tenant.ts';
import { allAgents, managers, ofOne, paid, readers, readersInPerson, writers } from '../access.ts';
import { type Example, nothing, page, type ResourceExamples } from '../example.ts';

const fieldsOf = (mark: string) => ({
  title: `${mark} title`,
  summary: `${mark} summary`,
  severity: 'high',
  category: 'data_breach',
  triggerTraceIds: [`${mark} trace`],
  relatedAgentIds: [`${mark} agent`],
  detectedAt: '2026-01-31T10:00:00Z',
  externalRef: `${mark} ticket`,
});
const bodyOf = (mark: string) => ({
  ...fieldsOf(mark),
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
async function newIncident({ harness, owner, mark }: Tenant): Promise<typeof NONE> {
  const call = { token: owner.token, body: bodyOf(mark) };
  const made = await harness.app.call('POST', '/api/v1/incidents', call);
  return made.body.code === 'UPGRADE_REQUIRED' ? NONE : (made.body.data as typeof NONE);
}

const withBody =
  (bodyFor?: (mark: string) => Record<string, unknown>): Example =>
  async (tenant) => ({
    params: { id: (await newIncident(tenant)).id },
    ...(bodyFor && { body: bodyFor(tenant.mark) }),
  });

const reading = paid(allAgents(readers));

export const incidents: ResourceExamples = {
  access: {
    'GET /api/v1/incidents': reading,
    'POST /api/v1/incidents': paid(writers),
    'GET /api/v1/incidents/:id': ofOne(reading),
    'PATCH /api/v1/incidents/:id': paid(ofOne(writers)),
    'GET /api/v1/incidents/calendar.ics': paid(readersInPerson),
    'POST /api/v1/incidents/calendar/token': paid(readersInPerson),
    'DELETE /api/v1/incidents/calendar/token': paid(readersInPerson),
    'POST /api/v1/incidents/:id/close': paid(ofOne(managers)),
    'GET /api/v1/incidents/:id/clocks': ofOne(reading),
    'POST /api/v1/incidents/:id/clocks/:clockId/checkpoint': paid(ofOne(writers)),
    'POST /api/v1/incidents/:id/checkpoints/:checkpointId/complete': paid(ofOne(writers)),
  },
  examples: {
    'GET /api/v1/incidents': ({ mark }) => ({
      query: { ...page, status: 'open', severity: 'high', regulator: 'nis2', search: mark },
    }),
    'POST /api/v1/incidents': ({ mark }) => ({ body: bodyOf(mark) }),
    'GET /api/v1/incidents/:id': withBody(),
    'PATCH /api/v1/incidents/:id': withBody((mark) => ({
      ...fieldsOf(mark),
      // The status is unchanged: a transition would add an audit entry.
      status: 'open',
    })),
    'GET /api/v1/incidents/calendar.ics': nothing,
    'POST /api/v1/incidents/calendar/token': nothing,
    'DELETE /api/v1/incidents/calendar/token': nothing,
    'POST /api/v1/incidents/:id/close': withBody((mark) => ({
      rootCause: `${mark} cause`,
      remediation: `${mark} remediation`,
      notes: `${mark} notes`,
    })),
    'GET /api/v1/incidents/:id/clocks': withBody(),
    'POST /api/v1/incidents/:id/clocks/:clockId/checkpoint': async (tenant) => {
      const { id, clocks } = await newIncident(tenant);
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
      params: { id: (await newIncident(tenant)).id, checkpointId: 'cp-1' },
      body: {
        evidenceTraceId: `${tenant.mark} evidence`,
        evidenceUrl: 'https://evidence.example.com/report',
        notes: `${tenant.mark} notes`,
      },
    }),
  },
};
