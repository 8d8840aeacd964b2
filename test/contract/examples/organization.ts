// The organisation with its workspaces, and the settings of its sign-on.
import { randomHex } from '../../../src/platform/ids.ts';
import { providerMetadata } from '../../setup/providers/provider-metadata.ts';
import { ssoBody } from '../bodies.ts';
import {
  domainName,
  dropDomainClaims,
  markReclaimed,
  newDomainClaim,
  newLinkedMember,
  setSso,
} from '../records.ts';
import { managers, ofOne, owners, paid, readers, refused, signedIn } from './access.ts';
import { type Example, nothing, type ResourceExamples } from './example.ts';

const ofDomain: Example = async (tenant) => ({ params: { id: await newDomainClaim(tenant) } });

export const organization: ResourceExamples = {
  access: {
    'GET /api/v1/organization': readers,
    'PATCH /api/v1/organization': managers,
    // The name that confirms is that of the caller's own organisation.
    'DELETE /api/v1/organization': { ...owners, foreigner: 'VALIDATION_ERROR' },
    'POST /api/v1/organization/keep': { ...owners, foreigner: 'INVALID_OPERATION' },
    'GET /api/v1/organization/sso': paid(managers),
    'PUT /api/v1/organization/sso': paid(owners),
    // Another caller removes the sign-on that they set up themselves, a line above.
    'DELETE /api/v1/organization/sso': paid(owners),
    'DELETE /api/v1/organization/sso/links/:userId': paid(ofOne(owners)),
    'POST /api/v1/organization/sso/metadata': paid(owners),
    'GET /api/v1/organization/role-mapping': paid(managers),
    'PUT /api/v1/organization/role-mapping': paid(owners),
    'GET /api/v1/organization/sso/domains': paid(managers),
    'POST /api/v1/organization/sso/domains': paid(owners),
    'POST /api/v1/organization/sso/domains/:id/verify': paid(ofOne(owners)),
    'DELETE /api/v1/organization/sso/domains/:id': paid(ofOne(owners)),
    // None of the callers has a role in the installation.
    'POST /api/v1/system/sso-domains': refused(signedIn, 'FORBIDDEN'),
    'GET /api/v1/workspaces': readers,
    'POST /api/v1/workspaces': managers,
    'PATCH /api/v1/workspaces/:id': ofOne(managers),
  },
  examples: {
    'GET /api/v1/organization': nothing,
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
    'GET /api/v1/organization/sso': nothing,
    'PUT /api/v1/organization/sso': ({ mark }) => ({ body: ssoBody(mark) }),
    'DELETE /api/v1/organization/sso': async (tenant) => {
      await setSso(tenant, ssoBody(tenant.mark));
      return {};
    },
    'POST /api/v1/organization/sso/metadata': ({ mark }) => ({
      body: { xml: providerMetadata(`${mark} provider`) },
    }),
    'DELETE /api/v1/organization/sso/links/:userId': async (tenant) => ({
      params: { userId: await newLinkedMember(tenant) },
    }),
    'GET /api/v1/organization/role-mapping': nothing,
    'PUT /api/v1/organization/role-mapping': ({ mark }) => ({
      body: { rules: [{ pattern: `^${mark} auditors$`, role: 'auditor' }] },
    }),
    'GET /api/v1/organization/sso/domains': nothing,
    'POST /api/v1/organization/sso/domains': async (tenant) => {
      await dropDomainClaims(tenant);
      return { body: { domain: domainName(tenant) } };
    },
    'POST /api/v1/organization/sso/domains/:id/verify': ofDomain,
    'DELETE /api/v1/organization/sso/domains/:id': ofDomain,
    'POST /api/v1/system/sso-domains': (tenant) => ({
      body: { organizationId: tenant.owner.organizationId, domain: domainName(tenant) },
    }),
    'GET /api/v1/workspaces': nothing,
    'POST /api/v1/workspaces': ({ mark }) => ({ body: { name: `${mark} ${randomHex(6)}` } }),
    'PATCH /api/v1/workspaces/:id': ({ workspaceId, mark, owner }) => ({
      params: { id: workspaceId },
      body: {
        name: `${mark} ${randomHex(6)}`,
        escalationPolicy: { escalateTo: owner.userId },
        reviewSla: { critical: 1, high: 4, medium: 24, low: null },
        autoApproval: { approvals: 20, days: 7 },
      },
    }),
  },
};
