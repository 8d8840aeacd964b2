// Signing keys and provenance.
import { randomHex } from '../../../../src/platform/ids.ts';
import { objectId } from '../../../setup/harness.ts';
import type { Tenant } from '../../tenant.ts';
import {
  allAgents,
  everybody,
  managers,
  ofOne,
  paid,
  readers,
  readersInPerson,
  refused,
  signedIn,
  writers,
} from '../access.ts';
import { type Example, nothing, page, type ResourceExamples } from '../example.ts';

const CONTENT_HASH = 'ab'.repeat(32);

const assertionsOf = (mark: string) => ({
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

const manifestBody = ({ mark, traceName }: Tenant): Record<string, unknown> => ({
  traceId: traceName,
  label: `${mark} ${randomHex(6)}`,
  contentHash: CONTENT_HASH,
  assertions: assertionsOf(mark),
});

/** Creates a manifest directly in the database, since the plan may refuse the operation. */
async function newManifest(tenant: Tenant): Promise<{ id: string; signature: string }> {
  const { provenance } = tenant.harness.app.instance.services;
  const caller = {
    organizationId: tenant.owner.organizationId,
    workspaceId: null,
    defaultWorkspaceId: tenant.workspaceId,
    plan: 'enterprise',
    actor: { kind: 'user', id: tenant.owner.userId },
    agentIds: null,
  } as const;
  const { traceId, label, contentHash } = manifestBody(tenant) as Record<string, string>;
  const input = { traceId: traceId ?? '', label: label ?? '', contentHash: contentHash ?? '' };
  const signed = await provenance.manifests.sign(caller, input);
  const organizationId = objectId(tenant.owner.organizationId);
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const row = { ...signed, organizationId, revokedAt: null, revocationReason: null, ...at };
  const { insertedId } = await tenant.harness.db.collection('provenance_manifests').insertOne(row);
  return { id: insertedId.toHexString(), signature: signed.signature };
}

const ofManifest: Example = async (tenant) => ({ params: { id: (await newManifest(tenant)).id } });

export const provenance: ResourceExamples = {
  access: {
    // None of the callers has a role in the installation.
    'GET /api/v1/c2pa-kms/status': refused(signedIn, 'FORBIDDEN'),
    'POST /api/v1/c2pa-kms/rotate': refused(signedIn, 'FORBIDDEN'),
    'GET /.well-known/jwks.json': everybody,
    'GET /api/v1/provenance/settings': { ...readers, auditor: 'ok' },
    'PUT /api/v1/provenance/settings': paid(managers),
    'POST /api/v1/provenance/c2pa/manifests': paid(ofOne(writers)),
    'GET /api/v1/provenance/c2pa/manifests': allAgents(readers),
    'GET /api/v1/provenance/c2pa/manifests/:id': allAgents(ofOne(readers)),
    'POST /api/v1/provenance/c2pa/manifests/:id/revoke': paid(ofOne(managers)),
    'GET /api/v1/provenance/c2pa/manifests/:id/verify': allAgents(ofOne(readers)),
    'POST /api/v1/provenance/c2pa/verify': readersInPerson,
    'GET /api/v1/provenance/provo/trace/:traceId': paid(ofOne(readers)),
    'GET /api/v1/provenance/provo/recent': paid(readers),
  },
  examples: {
    'GET /api/v1/c2pa-kms/status': nothing,
    'POST /api/v1/c2pa-kms/rotate': nothing,
    'GET /.well-known/jwks.json': nothing,
    'GET /api/v1/provenance/settings': nothing,
    'PUT /api/v1/provenance/settings': ({ mark }) => ({
      body: { defaultAssertions: assertionsOf(mark) },
    }),
    'POST /api/v1/provenance/c2pa/manifests': (tenant) => ({ body: manifestBody(tenant) }),
    'GET /api/v1/provenance/c2pa/manifests': async (tenant) => {
      await newManifest(tenant);
      return { query: page };
    },
    'GET /api/v1/provenance/c2pa/manifests/:id': ofManifest,
    'POST /api/v1/provenance/c2pa/manifests/:id/revoke': async (tenant) => ({
      params: { id: (await newManifest(tenant)).id },
      body: { reason: 'superseded' },
    }),
    'GET /api/v1/provenance/c2pa/manifests/:id/verify': async (tenant) => ({
      params: { id: (await newManifest(tenant)).id },
      query: { contentHash: CONTENT_HASH },
    }),
    'GET /api/v1/provenance/provo/trace/:traceId': ({ traceName }) => ({
      params: { traceId: traceName },
    }),
    'GET /api/v1/provenance/provo/recent': () => ({ query: { limit: '5' } }),
    'POST /api/v1/provenance/c2pa/verify': async (tenant) => ({
      body: { manifest: (await newManifest(tenant)).signature, contentHash: CONTENT_HASH },
    }),
  },
  freeForm: {
    'PUT /api/v1/provenance/settings': freeTexts('defaultAssertions'),
    'POST /api/v1/provenance/c2pa/manifests': freeTexts('assertions'),
  },
};
