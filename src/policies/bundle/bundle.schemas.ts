// The query and the manifest of a portable bundle of policies (document 2, section 4.2).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { id, instant } from '../../http/declaration/views.ts';

export const downloadQuery = z.object({
  download: z.literal('1').describe('The bundle is only ever sent as a download'),
});

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const policyManifestView = z.object({
  format: z.literal('assay-policy-bundle'),
  version: z.literal(1),
  organizationId: id,
  exportedAt: instant,
  policies: z.int(),
  files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256 })),
  digest: sha256.describe('SHA-256 of the list of files as canonical JSON (RFC 8785)'),
  signedBy: sha256
    .nullable()
    .describe(
      'The key that signs the digest in the archive; null: not signed, for the installation has no signing key',
    ),
});

nameSchemas({ PolicyBundleManifest: policyManifestView });
