// Impact assessments: drafted by every writing role, approved by managers.
import { asOwner, type Tenant } from '../../tenant.ts';
import { managers, ofOne, paid, readers, writers } from '../access.ts';
import { type Example, page, type ResourceExamples } from '../example.ts';

const bodyOf = (mark: string) => ({
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
async function newAssessment(tenant: Tenant, status: string): Promise<string> {
  const { harness, owner, mark } = tenant;
  const plan = await harness.app.call('POST', '/api/v1/fria', {
    token: owner.token,
    body: bodyOf(mark),
  });
  if (plan.body.code === 'UPGRADE_REQUIRED') return '0'.repeat(24);
  const id = plan.body.data.id as string;
  if (status !== 'draft') await asOwner(tenant, `POST /api/v1/fria/${id}/submit`);
  if (status === 'approved') await asOwner(tenant, `POST /api/v1/fria/${id}/approve`);
  return id;
}

const inStatus =
  (status: string): Example =>
  async (tenant) => ({ params: { id: await newAssessment(tenant, status) } });

export const fria: ResourceExamples = {
  access: {
    'GET /api/v1/fria': paid(readers),
    'POST /api/v1/fria': paid(writers),
    'GET /api/v1/fria/:id': paid(ofOne(readers)),
    'GET /api/v1/fria/:id/pdf': paid(ofOne(readers)),
    'PATCH /api/v1/fria/:id': paid(ofOne(writers)),
    'POST /api/v1/fria/:id/transition': paid(ofOne(writers)),
    'POST /api/v1/fria/:id/submit': paid(ofOne(writers)),
    'POST /api/v1/fria/:id/approve': paid(ofOne(managers)),
    'DELETE /api/v1/fria/:id': paid(ofOne(writers)),
  },
  examples: {
    'GET /api/v1/fria': ({ mark }) => ({ query: { ...page, status: 'draft', search: mark } }),
    'POST /api/v1/fria': ({ mark }) => ({ body: bodyOf(mark) }),
    'GET /api/v1/fria/:id': inStatus('draft'),
    'GET /api/v1/fria/:id/pdf': inStatus('approved'),
    'PATCH /api/v1/fria/:id': async (tenant) => ({
      params: { id: await newAssessment(tenant, 'review') },
      body: bodyOf(tenant.mark),
    }),
    'POST /api/v1/fria/:id/transition': async (tenant) => ({
      params: { id: await newAssessment(tenant, 'draft') },
      body: { status: 'review' },
    }),
    'POST /api/v1/fria/:id/submit': inStatus('draft'),
    'POST /api/v1/fria/:id/approve': inStatus('review'),
    'DELETE /api/v1/fria/:id': inStatus('draft'),
  },
};
