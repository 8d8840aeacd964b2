// The installation's signer: status and rotation for administrators, public keys for all (document 3, section 4.7).
import { z } from 'zod';
import { ROLES } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { rotationView, signerStatusView } from './c2pa-kms.schemas.ts';
import { describeSigner, generateKey, rotateKey } from './signer.service.ts';
import { listPublicKeys } from './key-registry.service.ts';

const system = { auth: 'user', roles: ROLES, systemRoles: ['owner', 'admin'] } as const;

export const signerRoutes = [
  route({
    method: 'get',
    path: '/status',
    summary: 'Whether manifests can be signed, with which key, and the generations before it',
    ...system,
    data: signerStatusView,
    handler: ({ ctx }) => describeSigner(ctx.platform),
  }),
  route({
    method: 'post',
    path: '/rotate',
    summary: 'Make a new generation of the signing key; every call makes one',
    ...system,
    status: 201,
    data: rotationView,
    codes: ['KMS_ROTATION_UNSUPPORTED', 'KMS_NOT_CONFIGURED', 'KMS_BAD_KEK'],
    failedCode: 'KMS_ROTATION_FAILED',
    audit: { action: 'c2pa.key.rotate', resource: 'signingKey' },
    prepare: ({ ctx }) => generateKey(ctx.platform),
    async handler({ ctx, prepared: material }) {
      const rotation = await rotateKey(ctx.platform, material);
      const { kid, generation } = rotation;
      return reply(201, rotation, { audit: { detail: kid, metadata: { kid, generation } } });
    },
  }),
];

export const keySetRoutes = [
  route({
    method: 'get',
    path: '/.well-known/jwks.json',
    openQuery: true,
    summary: 'The public keys of all manifests that were ever signed here, as a JWK set (RFC 7517)',
    auth: 'public',
    kind: 'file',
    mediaType: 'application/jwk-set+json',
    data: z.unknown(),
    async handler({ ctx }) {
      const keys = await listPublicKeys(ctx.platform);
      const body = JSON.stringify({ keys });
      return reply(200, { type: 'application/jwk-set+json', filename: null, body });
    },
  }),
];
