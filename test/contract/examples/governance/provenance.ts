// Signing keys and provenance.
import { generateHex } from '../../../../src/platform/ids.ts';
import { toObjectId } from '../../../setup/harness.ts';
import type { Tenant } from '../../tenant.ts';
import {
  refuseScopedKey,
  everybody,
  managers,
  denyForeigner,
  requirePaidPlan,
  readers,
  readersInPerson,
  refuseAll,
  signedIn,
  writers,
} from '../access.ts';
import { type Example, sendNothing, page, type ResourceExamples } from '../example.ts';
import { prepareManifest } from '../../../../src/evidence/provenance/manifests/manifests.service.ts';

const CONTENT_HASH = 'ab'.repeat(32);

const createAssertions = (mark: string) => ({
  actions: [{ action: 'c2pa.created', description: `${mark} action` }],
  ingredients: [{ title: `${mark} ingredient` }],
  creativeWork: { name: `${mark} work` },
  aiTrainingMining: { entries: { 'cawg.ai_training': { use: 'notAllowed' } } },
});

/** Texts of it that may be any JSON. */
const freeTexts = (member: string): string[] =>
  [
    'actions.0.description',
    'ingredients.0.title',
    'creativeWork.name',
    'aiTrainingMining.entries.cawg.ai_training.use',
  ].map((path) => `${member}.${path}`);

const createManifestBody = ({ mark, traceName }: Tenant): Record<string, unknown> => ({
  traceId: traceName,
  label: `${mark} ${generateHex(6)}`,
  contentHash: CONTENT_HASH,
  assertions: createAssertions(mark),
});

/** Creates a manifest directly in the database, since the plan may refuse the operation. */
async function createManifest(tenant: Tenant): Promise<{ id: string; signature: string }> {
  const { platform } = tenant.harness.app.instance;
  const caller = {
    organizationId: tenant.owner.organizationId,
    workspaceId: null,
    defaultWorkspaceId: tenant.workspaceId,
    plan: 'enterprise',
    actor: { kind: 'user', id: tenant.owner.userId },
    agentIds: null,
  } as const;
  const { traceId, label, contentHash } = createManifestBody(tenant) as Record<string, string>;
  const input = { traceId: traceId ?? '', label: label ?? '', contentHash: contentHash ?? '' };
  const signed = await prepareManifest({ platform, tenant: caller }, input);
  const organizationId = toObjectId(tenant.owner.organizationId);
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const row = { ...signed, organizationId, revokedAt: null, revocationReason: null, ...at };
  const { insertedId } = await tenant.harness.db.collection('provenance_manifests').insertOne(row);
  return { id: insertedId.toHexString(), signature: signed.signature };
}

const selectManifest: Example = async (tenant) => ({
  params: { id: (await createManifest(tenant)).id },
});

export const provenance: ResourceExamples = {
  access: {
    // None of the callers has a role in the installation.
    'GET /api/v1/c2pa-kms/status': refuseAll(signedIn, 'FORBIDDEN'),
    'POST /api/v1/c2pa-kms/rotate': refuseAll(signedIn, 'FORBIDDEN'),
    'GET /.well-known/jwks.json': everybody,
    'GET /api/v1/provenance/settings': { ...readers, auditor: 'ok' },
    'PUT /api/v1/provenance/settings': requirePaidPlan(managers),
    'POST /api/v1/provenance/c2pa/manifests': requirePaidPlan(denyForeigner(writers)),
    'GET /api/v1/provenance/c2pa/manifests': refuseScopedKey(readers),
    'GET /api/v1/provenance/c2pa/manifests/:id': refuseScopedKey(denyForeigner(readers)),
    'POST /api/v1/provenance/c2pa/manifests/:id/revoke': requirePaidPlan(denyForeigner(managers)),
    'GET /api/v1/provenance/c2pa/manifests/:id/verify': refuseScopedKey(denyForeigner(readers)),
    'POST /api/v1/provenance/c2pa/verify': readersInPerson,
    'GET /api/v1/provenance/provo/trace/:traceId': requirePaidPlan(denyForeigner(readers)),
    'GET /api/v1/provenance/provo/recent': requirePaidPlan(readers),
  },
  examples: {
    'GET /api/v1/c2pa-kms/status': sendNothing,
    'POST /api/v1/c2pa-kms/rotate': sendNothing,
    'GET /.well-known/jwks.json': sendNothing,
    'GET /api/v1/provenance/settings': sendNothing,
    'PUT /api/v1/provenance/settings': ({ mark }) => ({
      body: { defaultAssertions: createAssertions(mark) },
    }),
    'POST /api/v1/provenance/c2pa/manifests': (tenant) => ({ body: createManifestBody(tenant) }),
    'GET /api/v1/provenance/c2pa/manifests': async (tenant) => {
      await createManifest(tenant);
      return { query: page };
    },
    'GET /api/v1/provenance/c2pa/manifests/:id': selectManifest,
    'POST /api/v1/provenance/c2pa/manifests/:id/revoke': async (tenant) => ({
      params: { id: (await createManifest(tenant)).id },
      body: { reason: 'superseded' },
    }),
    'GET /api/v1/provenance/c2pa/manifests/:id/verify': async (tenant) => ({
      params: { id: (await createManifest(tenant)).id },
      query: { contentHash: CONTENT_HASH },
    }),
    'GET /api/v1/provenance/provo/trace/:traceId': ({ traceName }) => ({
      params: { traceId: traceName },
    }),
    'GET /api/v1/provenance/provo/recent': () => ({ query: { limit: '5' } }),
    'POST /api/v1/provenance/c2pa/verify': async (tenant) => ({
      body: { manifest: (await createManifest(tenant)).signature, contentHash: CONTENT_HASH },
    }),
  },
  freeForm: {
    'PUT /api/v1/provenance/settings': freeTexts('defaultAssertions'),
    'POST /api/v1/provenance/c2pa/manifests': freeTexts('assertions'),
  },
};
