// Assertions, and the settings that give their defaults (document 3, section 2).
import { z } from 'zod';
import type { JsonObject } from '@assay/json';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { boundedList } from '../../../http/declaration/views.ts';

/** Bytes of all assertions of a manifest, as JSON. */
const ASSERTIONS_BYTES = 32 * 1024;
const MOST_ASSERTIONS = 50;

const freeMembers = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', additionalProperties: true });

/** An object with the name of an action. */
const action = z
  .custom<JsonObject>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      typeof (value as JsonObject).action === 'string' &&
      ((value as JsonObject).action as string).length > 0,
    'must be an object with `action`',
  )
  .meta({ type: 'object', properties: { action: { type: 'string' } }, required: ['action'] });

export const assertionsInput = z
  .strictObject({
    actions: optional(boundedList(action, MOST_ASSERTIONS)).describe(
      `\`c2pa.actions.v2\`, at most ${MOST_ASSERTIONS}`,
    ),
    ingredients: optional(boundedList(freeMembers, MOST_ASSERTIONS)).describe(
      `\`c2pa.ingredient.v3\`, at most ${MOST_ASSERTIONS}`,
    ),
    creativeWork: optional(freeMembers.nullable()).describe('`cawg.metadata`'),
    aiTrainingMining: optional(freeMembers.nullable()).describe('`cawg.training-mining`'),
  })
  .refine(
    (given) => Buffer.byteLength(JSON.stringify(given)) <= ASSERTIONS_BYTES,
    `at most ${ASSERTIONS_BYTES} bytes of JSON`,
  )
  .describe(`At most ${ASSERTIONS_BYTES} bytes of JSON`);
export type AssertionsInput = z.output<typeof assertionsInput>;

export const assertionsView = z.object({
  actions: z.array(freeMembers),
  ingredients: z.array(freeMembers),
  creativeWork: freeMembers.nullable(),
  aiTrainingMining: freeMembers.nullable(),
});

export const provenanceSettingsInput = z.strictObject({
  defaultAssertions: optional(assertionsInput).describe(
    'For requests that leave a member out; what is left out here is empty',
  ),
});

export const provenanceSettingsView = z.object({
  signatureAlg: z.literal('ecdsa-p256-jws'),
  signerMode: z
    .enum(['prod-cert', 'prod-jwk', 'ephemeral-jwk', 'legacy-hmac'])
    .nullable()
    .describe('Null while the signer is not ready'),
  kid: z.string().nullable(),
  publicKey: z
    .object({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: z.string(),
      y: z.string(),
      kid: z.string(),
      alg: z.literal('ES256'),
      use: z.literal('sig'),
      x5c: z.array(z.string()).exactOptional(),
    })
    .nullable()
    .describe('The active key as a JWK'),
  jwksUri: z.string().describe('All keys that ever signed'),
  defaultAssertions: assertionsView,
});
export type ProvenanceSettings = z.input<typeof provenanceSettingsView>;

nameSchemas({
  AssertionsInput: assertionsInput,
  Assertions: assertionsView,
  ProvenanceSettingsInput: provenanceSettingsInput,
  ProvenanceSettings: provenanceSettingsView,
});
