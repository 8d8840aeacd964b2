// The organisation with its workspaces, and the settings of its sign-on.
import { generateHex } from '../../../src/platform/ids.ts';
import { renderProviderMetadata } from '../../setup/providers/provider-metadata.ts';
import { createSsoBody } from '../bodies.ts';
import {
  createDomainName,
  createSignOnTrial,
  dropDomainClaims,
  markReclaimed,
  createDomainClaim,
  createLinkedMember,
  setSso,
} from '../records.ts';
import {
  managers,
  denyForeigner,
  owners,
  requirePaidPlan,
  readers,
  refuseAll,
  signedIn,
} from './access.ts';
import { type Example, sendNothing, type ResourceExamples } from './example.ts';

const selectDomain: Example = async (tenant) => ({
  params: { id: await createDomainClaim(tenant) },
});

export const organization: ResourceExamples = {
  access: {
    'GET /api/v1/organization': readers,
    'PATCH /api/v1/organization': managers,
    // The name that confirms is that of the caller's own organisation.
    'DELETE /api/v1/organization': { ...owners, foreigner: 'VALIDATION_ERROR' },
    'POST /api/v1/organization/keep': { ...owners, foreigner: 'INVALID_OPERATION' },
    'GET /api/v1/organization/sso': requirePaidPlan(managers),
    'PUT /api/v1/organization/sso': requirePaidPlan(owners),
    // Another caller removes the sign-on that they set up themselves, a line above.
    'DELETE /api/v1/organization/sso': requirePaidPlan(owners),
    'DELETE /api/v1/organization/sso/links/:userId': requirePaidPlan(denyForeigner(owners)),
    'POST /api/v1/organization/sso/metadata': requirePaidPlan(owners),
    'POST /api/v1/organization/sso/test': requirePaidPlan(owners),
    'GET /api/v1/organization/sso/test/:id': requirePaidPlan(denyForeigner(owners)),
    'GET /api/v1/organization/role-mapping': requirePaidPlan(managers),
    'PUT /api/v1/organization/role-mapping': requirePaidPlan(owners),
    'GET /api/v1/organization/sso/domains': requirePaidPlan(managers),
    'POST /api/v1/organization/sso/domains': requirePaidPlan(owners),
    'POST /api/v1/organization/sso/domains/:id/verify': requirePaidPlan(denyForeigner(owners)),
    'DELETE /api/v1/organization/sso/domains/:id': requirePaidPlan(denyForeigner(owners)),
    // None of the callers has a role in the installation.
    'POST /api/v1/system/sso-domains': refuseAll(signedIn, 'FORBIDDEN'),
    'GET /api/v1/workspaces': readers,
    'POST /api/v1/workspaces': managers,
    'PATCH /api/v1/workspaces/:id': denyForeigner(managers),
  },
  examples: {
    'GET /api/v1/organization': sendNothing,
    'PATCH /api/v1/organization': ({ mark }) => ({
      body: {
        name: `${mark} renamed`,
        scrubNationalIds: true,
        endSessionsOnScimDeactivate: false,
        requirePolicyApproval: false,
        insuranceFeed: { enabled: false },
      },
    }),
    'DELETE /api/v1/organization': ({ mark }) => ({ body: { name: `${mark} Ltd` } }),
    'POST /api/v1/organization/keep': async (tenant) => {
      await markReclaimed(tenant);
      return {};
    },
    'GET /api/v1/organization/sso': sendNothing,
    'PUT /api/v1/organization/sso': ({ mark }) => ({ body: createSsoBody(mark) }),
    'DELETE /api/v1/organization/sso': async (tenant) => {
      await setSso(tenant, createSsoBody(tenant.mark));
      return {};
    },
    'POST /api/v1/organization/sso/metadata': ({ mark }) => ({
      body: { xml: renderProviderMetadata(`${mark} provider`) },
    }),
    'POST /api/v1/organization/sso/test': ({ mark }) => ({
      body: { settings: { ...createSsoBody(mark), provider: 'saml' } },
    }),
    'GET /api/v1/organization/sso/test/:id': async (tenant) => ({
      params: { id: await createSignOnTrial(tenant) },
    }),
    'DELETE /api/v1/organization/sso/links/:userId': async (tenant) => ({
      params: { userId: await createLinkedMember(tenant) },
    }),
    'GET /api/v1/organization/role-mapping': sendNothing,
    'PUT /api/v1/organization/role-mapping': ({ mark }) => ({
      body: { rules: [{ pattern: `^${mark} auditors$`, role: 'auditor' }] },
    }),
    'GET /api/v1/organization/sso/domains': sendNothing,
    'POST /api/v1/organization/sso/domains': async (tenant) => {
      await dropDomainClaims(tenant);
      return { body: { domain: createDomainName(tenant) } };
    },
    'POST /api/v1/organization/sso/domains/:id/verify': selectDomain,
    'DELETE /api/v1/organization/sso/domains/:id': selectDomain,
    'POST /api/v1/system/sso-domains': (tenant) => ({
      body: { organizationId: tenant.owner.organizationId, domain: createDomainName(tenant) },
    }),
    'GET /api/v1/workspaces': sendNothing,
    'POST /api/v1/workspaces': ({ mark }) => ({ body: { name: `${mark} ${generateHex(6)}` } }),
    'PATCH /api/v1/workspaces/:id': ({ workspaceId, mark, owner }) => ({
      params: { id: workspaceId },
      body: {
        name: `${mark} ${generateHex(6)}`,
        escalationPolicy: { escalateTo: owner.userId },
        reviewSla: { critical: 1, high: 4, medium: 24, low: null },
        reviewExpiry: { expiresIn: 86_400 },
        autoApproval: { approvals: 20, days: 7 },
      },
    }),
  },
};
