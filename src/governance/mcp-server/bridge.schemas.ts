// Resources and tools of the bridge for hosts of language models, with inputs and views (document 2, section 4.8).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';

export const PROTOCOL_VERSION = '0.1.0';
export const SERVER_INFO = { name: 'assay', version: '0.1.0' } as const;

export const RESOURCES = [
  {
    uri: 'service://policies',
    name: 'Active policies',
    description: 'All active policies of the organisation',
  },
  {
    uri: 'service://traces/recent',
    name: 'Recent decisions',
    description: 'The last 50 decisions: status, confidence and rationale, scrubbed',
  },
  {
    uri: 'service://hash-chain/status',
    name: 'Chain status',
    description: 'Head, sequence and last verification of the hash chain',
  },
] as const;
export type ResourceUri = (typeof RESOURCES)[number]['uri'];

const sequence = z.number().int().min(1);
export const lookupArguments = z.strictObject({ traceId: z.string().min(1).max(100) });
export const segmentArguments = z
  .strictObject({
    fromSeq: sequence.describe('First entry'),
    toSeq: optional(sequence).describe('Last entry, at most 999 further; absent: as far as that'),
  })
  .refine(({ fromSeq, toSeq = fromSeq }) => toSeq >= fromSeq, 'toSeq comes before fromSeq');

export const TOOLS = [
  {
    name: 'lookup_decision',
    description: 'One decision of the organisation, by its traceId',
    arguments: lookupArguments,
  },
  {
    name: 'verify_chain_segment',
    description: 'Replays a part of the hash chain: links, digests and hashes of its entries',
    arguments: segmentArguments,
  },
] as const;

/** Converts to JSON Schema. */
export function toInputSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
}

export const readInput = z.object({ uri: z.string().min(1).max(500) });
export const callInput = z.object({
  name: z.string().min(1).max(100),
  arguments: optional(z.unknown()).describe('by the `inputSchema` of the tool'),
});

const schema = z.record(z.string(), z.unknown());
export const bridgeManifestView = z.object({
  protocolVersion: z.literal(PROTOCOL_VERSION),
  serverInfo: z.object({ name: z.string(), version: z.string() }),
  capabilities: z.object({
    resources: z.literal(true),
    tools: z.literal(true),
    prompts: z.literal(false),
  }),
  resources: z.array(z.object({ uri: z.string(), name: z.string(), description: z.string() })),
  tools: z.array(z.object({ name: z.string(), description: z.string(), inputSchema: schema })),
});
export type BridgeManifest = z.input<typeof bridgeManifestView>;

export const contentsView = z.object({
  contents: z.array(z.object({ uri: z.string(), mimeType: z.string(), text: z.string() })),
});
export const toolView = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  isError: z.boolean(),
});
export type ToolAnswer = z.input<typeof toolView>;
/** One message of JSON-RPC, or several. */
export const messageInput = z.union([
  z.looseObject({ jsonrpc: z.literal('2.0') }),
  z
    .array(z.looseObject({ jsonrpc: z.literal('2.0') }))
    .min(1)
    .max(20),
]);

nameSchemas({
  BridgeReadInput: readInput,
  BridgeCallInput: callInput,
  BridgeManifest: bridgeManifestView,
  BridgeContents: contentsView,
  BridgeToolResult: toolView,
  BridgeMessage: messageInput,
});
