// Inputs and views of provenance manifests (document 3, sections 2 and 4.6).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { MANIFEST_MAX, VERIFY_REASONS } from '../../../domain/provenance/manifest.ts';
import { id, instant, singleLine } from '../../../http/declaration/views.ts';
import { assertionsInput, assertionsView } from '../settings/provenance-settings.schemas.ts';
import { REVOCATION_REASONS } from './manifests.model.ts';

const contentHash = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'give a SHA-256 in hex')
  .toLowerCase();

export const manifestInput = z.strictObject({
  traceId: singleLine(200).describe('Of the decision, as its answer gave it'),
  label: singleLine(200).describe('Once for each decision'),
  contentHash: contentHash.describe('SHA-256 in hex of the content that is covered'),
  assertions: optional(assertionsInput),
});
export type ManifestInput = z.output<typeof manifestInput>;

export const manifestRevocation = z.strictObject({ reason: z.enum(REVOCATION_REASONS) });
export const manifestVerifyQuery = z.object({
  contentHash: optional(contentHash).describe('SHA-256 in hex of the content at hand'),
});
export const manifestVerifyInput = z.strictObject({
  manifest: z.string().min(1).max(MANIFEST_MAX).describe('JWS compact'),
  contentHash: optional(contentHash),
});

export const manifestView = z.object({
  _id: id,
  id,
  organizationId: id,
  traceId: z.string(),
  label: z.string(),
  contentHash: z.string(),
  signatureAlg: z.enum(['ecdsa-p256-jws', 'hmac-sha256']),
  signature: z.string().describe('JWS compact; a hex MAC where the algorithm is the former one'),
  signerKid: z.string().nullable(),
  signerMode: z.enum(['prod-cert', 'prod-jwk', 'ephemeral-jwk', 'legacy-hmac']).nullable(),
  issuer: z.string(),
  assertions: assertionsView,
  issuedAt: instant,
  revokedAt: instant.nullable(),
  revocationReason: z.enum(REVOCATION_REASONS).nullable(),
});
export type ManifestRecord = z.input<typeof manifestView>;

const reason = z.enum(VERIFY_REASONS);
const verified = z.boolean().describe('Whether `reason` is `verified`');
export const manifestVerdictView = z.object({ _id: id, verified, reason });
export type ManifestVerdict = z.input<typeof manifestVerdictView>;
export const manifestTextVerdictView = z.object({
  verified,
  reason,
  signerKid: z.string().nullable(),
  claim: z
    .object({
      v: z.literal(1),
      organizationId: z.string(),
      issuer: z.string(),
      traceId: z.string(),
      label: z.string(),
      contentHash: z.string(),
      issuedAt: z.string(),
      assertions: z.array(z.object({ label: z.string(), data: z.record(z.string(), z.unknown()) })),
    })
    .nullable()
    .describe('What was signed; null unless the signature holds'),
});
export type TextVerdict = z.input<typeof manifestTextVerdictView>;

nameSchemas({
  ManifestInput: manifestInput,
  ManifestRevocationInput: manifestRevocation,
  ManifestVerificationInput: manifestVerifyInput,
  Manifest: manifestView,
  ManifestVerdict: manifestVerdictView,
  ManifestTextVerdict: manifestTextVerdictView,
});
