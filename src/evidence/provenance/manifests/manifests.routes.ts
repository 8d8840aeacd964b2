// Provenance manifests (document 3, section 4.6). They are signed claims, not C2PA containers embedded in a file.
import { MANAGERS, type Role } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import {
  manifestInput,
  manifestRevocation,
  manifestTextVerdictView,
  manifestVerdictView,
  manifestVerifyInput,
  manifestVerifyQuery,
  manifestView,
} from './manifests.schemas.ts';
import {
  prepareManifest,
  storeManifest,
  listManifests,
  loadManifest,
  revokeManifest,
} from './manifests.service.ts';
import { verifyRecord, verifyText } from './verification.service.ts';

const ISSUERS: readonly Role[] = ['owner', 'admin', 'reviewer', 'member'];
const write = { auth: 'user', plan: 'c2paContentCredentials' } as const;
const toAudit = (event: string) => ({ action: `c2pa.manifest.${event}`, resource: 'manifest' });

export const manifestRoutes = [
  route({
    method: 'post',
    path: '/manifests',
    summary: 'Sign a claim about a decision and the content it covers',
    ...write,
    roles: ISSUERS,
    status: 201,
    body: manifestInput,
    data: manifestView,
    codes: ['NOT_FOUND', 'CONFIG_ERROR'],
    audit: toAudit('issue'),
    prepare: ({ ctx, body }) => prepareManifest(ctx, body),
    async handler({ ctx, prepared: signed }) {
      const kept = await storeManifest(ctx, signed);
      const { traceId, label, signerKid } = kept;
      return reply(201, kept, { audit: { detail: label, metadata: { traceId, signerKid } } });
    },
  }),
  route({
    method: 'get',
    path: '/manifests',
    summary: 'List manifests, newest first',
    auth: 'reader',
    page: { limit: 25, max: 100 },
    data: manifestView,
    handler: ({ ctx, page }) => listManifests(ctx, page),
  }),
  route({
    method: 'get',
    path: '/manifests/:id',
    summary: 'One manifest',
    auth: 'reader',
    params: byId,
    data: manifestView,
    handler: ({ ctx, params }) => loadManifest(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/manifests/:id/revoke',
    summary: 'Revoke a manifest, for good',
    ...write,
    roles: MANAGERS,
    params: byId,
    body: manifestRevocation,
    data: manifestView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('revoke'),
    async handler({ ctx, params, body: { reason } }) {
      const revoked = await revokeManifest(ctx, params.id, reason);
      return reply(200, revoked, { audit: { detail: revoked.label, metadata: { reason } } });
    },
  }),
  route({
    method: 'get',
    path: '/manifests/:id/verify',
    summary: 'Whether signature, record and content agree, and the manifest is not revoked',
    auth: 'reader',
    params: byId,
    query: manifestVerifyQuery,
    data: manifestVerdictView,
    handler: ({ ctx, params, query }) => verifyRecord(ctx, params.id, query.contentHash),
  }),
  route({
    method: 'post',
    path: '/verify',
    summary: 'Verify a manifest by its text, of any organisation of this installation',
    auth: 'user',
    writes: 'none',
    bodyLimit: 256 * 1024,
    body: manifestVerifyInput,
    data: manifestTextVerdictView,
    handler: ({ ctx, body }) => verifyText(ctx.platform, body.manifest, body.contentHash),
  }),
];
