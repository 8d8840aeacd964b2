// Members and invitations.
import { randomHex } from '../../../src/platform/ids.ts';
import { PASSWORD } from '../../setup/personas.ts';
import { newInvitation, newMember } from '../records.ts';
import { everybody, managers, ofOne, owners, readersInPerson } from './access.ts';
import { type Example, nothing, type ResourceExamples } from './example.ts';

const ofMember: Example = async (tenant) => ({ params: { userId: await newMember(tenant) } });
const ofInvitation: Example = async (tenant) => ({
  params: { id: (await newInvitation(tenant)).id },
});

export const team: ResourceExamples = {
  access: {
    'GET /api/v1/team/members': readersInPerson,
    'PATCH /api/v1/team/members/:userId/role': ofOne(managers),
    'PATCH /api/v1/team/members/:userId/auditor': ofOne(owners),
    'PATCH /api/v1/team/members/:userId/status': ofOne(managers),
    'PATCH /api/v1/team/members/:userId/reactivate': ofOne(managers),
    'DELETE /api/v1/team/members/:userId': ofOne(managers),
    'GET /api/v1/team/invites': readersInPerson,
    'POST /api/v1/team/invite': managers,
    'POST /api/v1/team/invites/:id/resend': ofOne(managers),
    'DELETE /api/v1/team/invites/:id': ofOne(managers),
    'GET /api/v1/team/invites/validate/:token': everybody,
    'POST /api/v1/team/invites/:token/accept': everybody,
  },
  examples: {
    'GET /api/v1/team/members': nothing,
    'PATCH /api/v1/team/members/:userId/role': async (tenant) => ({
      params: { userId: await newMember(tenant) },
      body: { role: 'viewer' },
    }),
    'PATCH /api/v1/team/members/:userId/auditor': ofMember,
    'PATCH /api/v1/team/members/:userId/status': ofMember,
    'PATCH /api/v1/team/members/:userId/reactivate': ofMember,
    'DELETE /api/v1/team/members/:userId': ofMember,
    'GET /api/v1/team/invites': nothing,
    'POST /api/v1/team/invite': () => ({
      body: { email: `${randomHex(8)}@example.com`, role: 'viewer' },
    }),
    'POST /api/v1/team/invites/:id/resend': ofInvitation,
    'DELETE /api/v1/team/invites/:id': ofInvitation,
    'GET /api/v1/team/invites/validate/:token': async (tenant) => ({
      params: { token: (await newInvitation(tenant)).token },
    }),
    'POST /api/v1/team/invites/:token/accept': async (tenant) => ({
      params: { token: (await newInvitation(tenant)).token },
      body: { name: `${tenant.mark} guest`, password: PASSWORD },
    }),
  },
};
