// Members and invitations.
import { generateHex } from '../../../src/platform/ids.ts';
import { PASSWORD } from '../../setup/personas.ts';
import { createDelegation, createInvitation, createTenantMember } from '../records.ts';
import {
  everybody,
  managers,
  denyForeigner,
  owners,
  readersInPerson,
  reviewers,
} from './access.ts';
import { type Example, sendNothing, type ResourceExamples } from './example.ts';

const selectMember: Example = async (tenant) => ({
  params: { userId: await createTenantMember(tenant) },
});
const selectInvitation: Example = async (tenant) => ({
  params: { id: (await createInvitation(tenant)).id },
});

export const team: ResourceExamples = {
  access: {
    'GET /api/v1/team/members': readersInPerson,
    'PATCH /api/v1/team/members/:userId/role': denyForeigner(managers),
    'PATCH /api/v1/team/members/:userId/auditor': denyForeigner(owners),
    'PATCH /api/v1/team/members/:userId/status': denyForeigner(managers),
    'PATCH /api/v1/team/members/:userId/reactivate': denyForeigner(managers),
    'DELETE /api/v1/team/members/:userId': denyForeigner(managers),
    'GET /api/v1/team/invites': readersInPerson,
    'POST /api/v1/team/invite': managers,
    'POST /api/v1/team/invites/:id/resend': denyForeigner(managers),
    'DELETE /api/v1/team/invites/:id': denyForeigner(managers),
    'GET /api/v1/team/invites/validate/:token': everybody,
    'POST /api/v1/team/invites/:token/accept': everybody,
    'GET /api/v1/team/delegations': readersInPerson,
    'POST /api/v1/team/delegations': denyForeigner(reviewers),
    'DELETE /api/v1/team/delegations/:id': denyForeigner(reviewers),
  },
  examples: {
    'GET /api/v1/team/members': sendNothing,
    'PATCH /api/v1/team/members/:userId/role': async (tenant) => ({
      params: { userId: await createTenantMember(tenant) },
      body: { role: 'viewer' },
    }),
    'PATCH /api/v1/team/members/:userId/auditor': selectMember,
    'PATCH /api/v1/team/members/:userId/status': selectMember,
    'PATCH /api/v1/team/members/:userId/reactivate': selectMember,
    'DELETE /api/v1/team/members/:userId': selectMember,
    'GET /api/v1/team/delegations': sendNothing,
    'POST /api/v1/team/delegations': async (tenant) => ({
      body: {
        delegateId: await createTenantMember(tenant, 'reviewer'),
        from: new Date().toISOString(),
        until: new Date(Date.now() + 24 * 3_600_000).toISOString(),
      },
    }),
    'DELETE /api/v1/team/delegations/:id': async (tenant) => ({
      params: { id: await createDelegation(tenant) },
    }),
    'GET /api/v1/team/invites': sendNothing,
    'POST /api/v1/team/invite': () => ({
      body: { email: `${generateHex(8)}@example.com`, role: 'viewer' },
    }),
    'POST /api/v1/team/invites/:id/resend': selectInvitation,
    'DELETE /api/v1/team/invites/:id': selectInvitation,
    'GET /api/v1/team/invites/validate/:token': async (tenant) => ({
      params: { token: (await createInvitation(tenant)).token },
    }),
    'POST /api/v1/team/invites/:token/accept': async (tenant) => ({
      params: { token: (await createInvitation(tenant)).token },
      body: { name: `${tenant.mark} guest`, password: PASSWORD },
    }),
  },
};
