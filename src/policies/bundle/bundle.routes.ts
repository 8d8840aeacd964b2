// Policies as a portable bundle: its manifest, and the archive (document 2, section 4.2).
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { downloadQuery, policyManifestView } from './bundle.schemas.ts';
import { describeBundle, exportBundle } from './bundle.service.ts';

const managed = { path: '/export-bundle', auth: 'user', roles: MANAGERS, heavy: true } as const;
/** The answer when there are more policies than fit into a bundle. */
const codes = ['INVALID_OPERATION'] as const;

/** These routes are mounted before those of a policy by id. */
export const policyBundleRoutes = [
  route({
    method: 'post',
    summary: 'What a bundle of the policies would hold',
    ...managed,
    writes: 'none',
    data: policyManifestView,
    codes,
    handler: ({ ctx }) => describeBundle(ctx),
  }),
  route({
    method: 'get',
    summary: 'The policies as a tar.gz archive: as JSON, as rule-language source, and a manifest',
    ...managed,
    kind: 'file',
    mediaType: 'application/gzip',
    writes: 'own',
    query: downloadQuery,
    data: z.unknown(),
    codes,
    audit: { action: 'policy.export', resource: 'policy' },
    async handler({ ctx }) {
      const bundle = await exportBundle(ctx);
      const { digest, policies: count, signedBy, ...file } = bundle;
      const audit = { metadata: { digest, policies: count, signedBy } };
      return reply(200, { type: 'application/gzip', ...file }, { audit });
    },
  }),
];
