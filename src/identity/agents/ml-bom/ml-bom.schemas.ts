// Schemas of an agent's model metadata, and of the ML-BOM made of it (document 1, sections 2 and 4.3).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { isOpaqueReference } from '../../../domain/agents/ml-bom.ts';
import { id, instant, singleLine, multiLine } from '../../../http/declaration/views.ts';

const MAX_DATASETS = 50;

const dataset = z.object({
  name: singleLine(200),
  uri: optional(
    z
      .string()
      .trim()
      .max(1024)
      .refine(isOpaqueReference, 'give a URI that only refers to the data, without credentials'),
  ).describe('Opaque reference to the data, never the data'),
  license: optional(singleLine(200)),
  sha256: optional(
    z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'give 64 hex digits')
      .toLowerCase(),
  ),
  description: optional(multiLine(500)),
});

export const modelMetadataInput = z.object({
  provider: optional(singleLine(200)),
  model: optional(singleLine(200)),
  version: optional(singleLine(100)),
  license: optional(singleLine(200)),
  riskClass: optional(singleLine(100)),
  purpose: optional(multiLine(2000)),
  trainingDataSummary: optional(multiLine(5000)),
  datasets: optional(z.array(dataset).max(MAX_DATASETS)),
});

const text = z.string();
export const modelMetadataView = z.object({
  ...z
    .object({
      provider: text,
      model: text,
      version: text,
      license: text,
      riskClass: text,
      purpose: text,
      trainingDataSummary: text,
    })
    .exactPartial().shape,
  datasets: z
    .array(
      z.object({
        name: text,
        ...z.object({ uri: text, license: text, sha256: text, description: text }).exactPartial()
          .shape,
      }),
    )
    .exactOptional(),
  lastBomDigest: z.string().exactOptional().describe('Digest of the ML-BOM at its last refresh'),
  lastBomGeneratedAt: instant.exactOptional(),
});
/** Model metadata with the digest of its last refresh. */
export type ModelMetadataView = z.input<typeof modelMetadataView>;

const bomRef = { 'bom-ref': text };
const licenses = z.array(z.object({ license: z.object({ name: text }) })).exactOptional();

const modelComponent = z.object({
  type: z.literal('machine-learning-model'),
  ...bomRef,
  supplier: z.object({ name: text }).exactOptional(),
  name: text,
  version: text.exactOptional(),
  licenses,
  modelCard: z.object({
    modelParameters: z.object({ datasets: z.array(z.object({ ref: text })) }),
    considerations: z.object({ useCases: z.array(text) }),
    properties: z.array(z.object({ name: text, value: text })),
  }),
});

const dataComponent = z.object({
  type: z.literal('data'),
  ...bomRef,
  name: text,
  description: text.exactOptional(),
  hashes: z.array(z.object({ alg: z.literal('SHA-256'), content: text })).exactOptional(),
  licenses,
  data: z.array(
    z.object({ type: z.literal('dataset'), contents: z.object({ url: text }).exactOptional() }),
  ),
});

/** A CycloneDX 1.7 document. */
export const mlBomView = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.7'),
  serialNumber: text.describe('BOM URN; the same for equal contents'),
  version: z.literal(1),
  metadata: z.object({
    timestamp: z.iso.datetime(),
    component: z.object({ type: z.literal('application'), ...bomRef, name: text }),
  }),
  components: z.array(z.discriminatedUnion('type', [modelComponent, dataComponent])),
  dependencies: z.array(z.object({ ref: text, dependsOn: z.array(text) })),
});
const digest = text.describe(
  'SHA-256 of the canonical JSON (RFC 8785) without serialNumber and metadata.timestamp',
);
export const mlBomExtra = z.object({ digest });

export const refreshedView = z.object({
  _id: id,
  id,
  serialNumber: text,
  lastBomDigest: digest,
  lastBomGeneratedAt: instant,
});
/** The stored facts of a refreshed ML-BOM. */
export type RefreshedMlBom = z.input<typeof refreshedView>;

nameSchemas({
  ModelMetadataInput: modelMetadataInput,
  ModelMetadata: modelMetadataView,
  ModelComponent: modelComponent,
  DataComponent: dataComponent,
  MlBom: mlBomView,
  RefreshedMlBom: refreshedView,
});
