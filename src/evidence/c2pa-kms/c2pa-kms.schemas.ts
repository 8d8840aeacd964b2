// Views of the signer (document 3, sections 2 and 4.7).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { instant } from '../../http/declaration/views.ts';

const kid = z.string().describe('SHA-256 of the public key (SPKI) in hex');
const provider = z.enum(['database', 'kms', 'env', 'file']);

const generationView = z.object({
  kid,
  generation: z.number().int(),
  status: z.enum(['active', 'retired']),
  activatedAt: instant,
  retiredAt: instant.nullable(),
});

export const signerStatusView = z.discriminatedUnion('ready', [
  z.object({
    provider,
    ready: z.literal(true),
    mode: z.enum(['prod-cert', 'prod-jwk', 'ephemeral-jwk', 'legacy-hmac']),
    kid,
    alg: z.literal('ES256'),
    certChainDepth: z.number().int().describe('0: a key without a certificate'),
    history: z
      .array(generationView)
      .nullable()
      .describe('The last ten generations, newest first; null where the operator gives the key'),
  }),
  z.object({
    provider,
    ready: z.literal(false),
    error: z.string(),
    code: z.literal('SIGNER_NOT_READY'),
  }),
]);

export const rotationView = z.object({ kid, generation: z.number().int(), rotatedAt: instant });
export type Rotation = z.input<typeof rotationView>;

nameSchemas({
  SigningKeyGeneration: generationView,
  SignerStatus: signerStatusView,
  SignerRotation: rotationView,
});
