// Impact assessments: drafted by every writing role, approved by managers.
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { managers, denyForeigner, requirePaidPlan, readers, writers } from '../access.ts';
import { type Example, page, type ResourceExamples } from '../example.ts';

const createBody = (mark: string) => ({
  systemName: `${mark} system`,
  deployerProfileId: `${mark} profile`,
  purpose: `${mark} purpose`,
  affectedPersons: `${mark} persons`,
  usageContext: `${mark} context`,
  durationOfUse: `${mark} duration`,
  identifiedRisks: [
    {
      title: `${mark} risk`,
      description: `${mark} description`,
      likelihood: 'low',
      severity: 'high',
      affectedRights: [`${mark} right`],
      mitigation: `${mark} mitigation`,
      residualRisk: 'low',
    },
  ],
  risksIdentified: `${mark} risks`,
  mitigations: `${mark} mitigations`,
  humanOversightSummary: `${mark} oversight`,
  complaintsMechanism: `${mark} complaints`,
});

/** Created directly in the database, since the plan may refuse the operations. */
async function createAssessment(tenant: Tenant, status: string): Promise<string> {
  const { harness, owner, mark } = tenant;
  const plan = await harness.app.call('POST', '/api/v1/fria', {
    token: owner.token,
    body: createBody(mark),
  });
  if (plan.body.code === 'UPGRADE_REQUIRED') return '0'.repeat(24);
  const id = plan.body.data.id as string;
  if (status !== 'draft') await callAsOwner(tenant, `POST /api/v1/fria/${id}/submit`);
  if (status === 'approved') await callAsOwner(tenant, `POST /api/v1/fria/${id}/approve`);
  return id;
}

const selectInStatus =
  (status: string): Example =>
  async (tenant) => ({ params: { id: await createAssessment(tenant, status) } });

export const fria: ResourceExamples = {
  access: {
    'GET /api/v1/fria': requirePaidPlan(readers),
    'POST /api/v1/fria': requirePaidPlan(writers),
    'GET /api/v1/fria/:id': requirePaidPlan(denyForeigner(readers)),
    'GET /api/v1/fria/:id/pdf': requirePaidPlan(denyForeigner(readers)),
    'PATCH /api/v1/fria/:id': requirePaidPlan(denyForeigner(writers)),
    'POST /api/v1/fria/:id/transition': requirePaidPlan(denyForeigner(writers)),
    'POST /api/v1/fria/:id/submit': requirePaidPlan(denyForeigner(writers)),
    'POST /api/v1/fria/:id/approve': requirePaidPlan(denyForeigner(managers)),
    'DELETE /api/v1/fria/:id': requirePaidPlan(denyForeigner(writers)),
  },
  examples: {
    'GET /api/v1/fria': ({ mark }) => ({ query: { ...page, status: 'draft', search: mark } }),
    'POST /api/v1/fria': ({ mark }) => ({ body: createBody(mark) }),
    'GET /api/v1/fria/:id': selectInStatus('draft'),
    'GET /api/v1/fria/:id/pdf': selectInStatus('approved'),
    'PATCH /api/v1/fria/:id': async (tenant) => ({
      params: { id: await createAssessment(tenant, 'review') },
      body: createBody(tenant.mark),
    }),
    'POST /api/v1/fria/:id/transition': async (tenant) => ({
      params: { id: await createAssessment(tenant, 'draft') },
      body: { status: 'review' },
    }),
    'POST /api/v1/fria/:id/submit': selectInStatus('draft'),
    'POST /api/v1/fria/:id/approve': selectInStatus('review'),
    'DELETE /api/v1/fria/:id': selectInStatus('draft'),
  },
};
