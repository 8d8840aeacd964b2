// Audit bundles: a period of the ledger as one signed archive that anyone can verify with one command.
import { z } from 'zod';
import { MANAGERS, type Role } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import { auditBundleInput, auditBundleView } from './audit-bundles.schemas.ts';
import {
  signBundle,
  storeBundle,
  listBundles,
  loadBundle,
  openDownload,
} from './audit-bundles.service.ts';

/** Managers create bundles; auditors may read them too. */
const READERS: readonly Role[] = [...MANAGERS, 'auditor'];
const read = { auth: 'user', roles: READERS, plan: 'hashChainAudit' } as const;
const toAudit = (event: string) => ({ action: `audit-bundle.${event}`, resource: 'audit-bundle' });

export const auditBundleRoutes = [
  route({
    method: 'post',
    path: '/',
    summary: 'Make an audit bundle of a period; its manifest is signed',
    auth: 'user',
    roles: MANAGERS,
    plan: 'hashChainAudit',
    status: 201,
    body: auditBundleInput,
    data: auditBundleView,
    codes: ['BUNDLE_PERIOD_TOO_LARGE', 'INVALID_OPERATION', 'HASH_CHAIN_BROKEN', 'CONFIG_ERROR'],
    heavy: true,
    audit: toAudit('create'),
    prepare: ({ ctx, body }) => signBundle(ctx, body),
    async handler({ ctx, prepared: signed }) {
      const made = await storeBundle(ctx, signed);
      const { firstSequence, lastSequence, disclosed, signerKid } = made;
      const metadata = { firstSequence, lastSequence, disclosed, signerKid };
      return reply(201, made, { audit: { resourceId: made.id.toHexString(), metadata } });
    },
  }),
  route({
    method: 'get',
    path: '/',
    summary: 'List audit bundles, newest first',
    ...read,
    page: { limit: 25, max: 100 },
    data: auditBundleView,
    handler: ({ ctx, page }) => listBundles(ctx, page),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One audit bundle',
    ...read,
    params: byId,
    data: auditBundleView,
    handler: ({ ctx, params }) => loadBundle(ctx, params.id),
  }),
  route({
    method: 'get',
    path: '/:id/download',
    summary:
      'The archive: signed manifest, keys, entries with their disclosures, and how to check them',
    ...read,
    kind: 'file',
    mediaType: 'application/gzip',
    heavy: true,
    writes: 'own',
    params: byId,
    data: z.unknown(),
    audit: toAudit('download'),
    async handler({ ctx, params }) {
      const { filename, body } = await openDownload(ctx, params.id);
      const details = { audit: { resourceId: params.id } };
      return reply(200, { type: 'application/gzip', filename, body }, details);
    },
  }),
];
