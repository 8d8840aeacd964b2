// Inputs and views of the trusts of an agent (docs/guides/agents-without-keys.md).
import { z } from 'zod';
import type { JsonObject } from '@assay/json';
import { isPublicKey } from '../../../domain/workload/public-key.ts';
import { findPatternProblem } from '../../../domain/workload/trust-rule.ts';
import { CHAIN_MAX } from '../../../domain/workload/principal.ts';
import { optional, withDefault } from '../../../http/declaration/optional.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import {
  boundedList,
  createDeletedView,
  id,
  idParam,
  instant,
  singleLine,
} from '../../../http/declaration/views.ts';

const MAX_CLAIMS = 20;
const MAX_KEYS = 20;
const MAX_TOOLS = 200;

const pattern = z
  .string()
  .max(1000)
  .superRefine((source, context) => {
    const problem = findPatternProblem(source);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('RE2 syntax, of the whole text');
const text = z.string().min(1).max(1000);
const expectedText = z.union([text, z.strictObject({ pattern })]);
const expectedClaim = z.union([expectedText, z.number(), z.boolean()]);

const publicKey = z
  .custom<JsonObject>(isPublicKey, 'must be a public key of the type RSA, EC or OKP')
  .meta({ type: 'object', additionalProperties: true });
const jwks = z.strictObject({ keys: boundedList(publicKey, MAX_KEYS, 1) });

export const grantInput = z.strictObject({
  tools: optional(boundedList(singleLine(200), MAX_TOOLS)).describe(
    'The tools that may be called; absent: all',
  ),
  until: optional(z.iso.datetime()).describe('When it ends, and its run tokens with it'),
  depth: optional(z.number().int().min(0).max(CHAIN_MAX)).describe(
    'How many further agents may act on its behalf, one behind the other; absent: as many as a chain may have',
  ),
});

export const trustInput = z.strictObject({
  issuer: singleLine(255).describe(
    'As the tokens name it in `iss`; of a JWT-SVID without one, its trust domain: `spiffe://example.org`',
  ),
  audience: optional(singleLine(255)).describe(
    'What `aud` of the tokens must hold; absent: the address of this service',
  ),
  subject: expectedText.describe('What `sub` must be'),
  claims: optional(
    z
      .record(z.string().min(1).max(200), expectedClaim)
      .refine((claims) => Object.keys(claims).length <= MAX_CLAIMS, `at most ${MAX_CLAIMS} claims`),
  ).describe(
    'Further claims that must have these values; a name that begins with `/` is a JSON Pointer. Ask for ids that are never given again',
  ),
  jwks: optional(jwks).describe('The keys of the issuer; absent: those that it publishes'),
  maxAgeSeconds: optional(z.number().int().min(30).max(3600)).describe(
    'How long ago a token may have been issued; absent: as long as it lives',
  ),
  once: withDefault(z.boolean(), true).describe(
    'Whether each token is exchanged once; false for tokens that a platform keeps in a file, as Kubernetes does',
  ),
  grant: optional(grantInput).describe(
    'What run tokens may do at most; absent: what the agent may',
  ),
});
export type TrustInput = z.output<typeof trustInput>;

export const trustParams = z.object({ id: idParam, trustId: idParam });

const grantView = z.object({
  tools: z.array(z.string()).exactOptional(),
  until: z.string().exactOptional(),
  depth: z.number().exactOptional(),
});
export const trustView = z.object({
  _id: id,
  agentId: id,
  issuer: z.string(),
  audience: z.string().describe('What `aud` of the tokens must hold'),
  subject: expectedText,
  claims: z.record(z.string(), expectedClaim),
  jwks: z.object({ keys: z.array(z.record(z.string(), z.json())) }).nullable(),
  maxAgeSeconds: z.number().nullable(),
  once: z.boolean(),
  grant: grantView.nullable(),
  createdBy: id,
  createdAt: instant,
});
export type TrustView = z.input<typeof trustView>;
export const deletedTrustView = createDeletedView();

nameSchemas({
  AgentTrustInput: trustInput,
  AgentTrust: trustView,
  DeletedAgentTrust: deletedTrustView,
  GrantInput: grantInput,
  Grant: grantView,
});
