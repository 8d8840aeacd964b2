// Requests and answers of the Agent Control Standard (v0.1.0), as far as Assay reads them.
import { z } from 'zod';
import type { Json } from '@assay/json';
import { optional } from '../../http/declaration/optional.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';

/** The body is read by its own parser, so that errors have the form of JSON-RPC. */
export const acsBody = z.looseObject({}).describe('A request of JSON-RPC 2.0');

const createTextSchema = (max: number) => z.string().min(1).max(max);
export const acsRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: createTextSchema(200),
  id: z.union([z.string().max(200), z.number()]),
  params: z.looseObject({
    acs_version: z.string().regex(/^0\.\d+\.\d+$/, 'must be of version 0'),
    request_id: z.uuid(),
    timestamp: z.iso.datetime({ offset: true }),
    metadata: z.looseObject({
      agent_id: createTextSchema(200),
      session_id: createTextSchema(200),
      turn_id: optional(z.string().max(200)),
      user_context: optional(z.looseObject({ user_id: optional(createTextSchema(200)) })),
    }),
    payload: z.looseObject({}),
  }),
});
export type AcsRequest = z.output<typeof acsRequest>;

export const helloPayload = z.looseObject({
  acs_versions_supported: z.array(z.string().max(50)).max(50),
  methods_implemented: z.array(z.string().max(200)).max(100),
  transports_supported: z.array(z.string().max(50)).max(20),
  provenance_producer: z.string().max(50),
});

const argument = z.custom<Json>();
export const toolPayload = z.looseObject({
  tool: z.looseObject({ name: createTextSchema(200) }),
  operation: optional(z.string().max(1000)),
  capability: optional(z.string().max(1000)),
  raw_command: optional(z.string().max(50_000)),
  arguments: z.record(z.string(), argument),
  intent: optional(
    z.looseObject({
      description: optional(z.string().max(50_000)),
      goal: optional(z.string().max(50_000)),
    }),
  ),
});

export const resultPayload = z.looseObject({
  request_id_ref: optional(z.string().max(200)),
  exit_status: z.string().max(200),
  duration_ms: optional(z.number().min(0).max(Number.MAX_SAFE_INTEGER)),
});

export const acsQuery = z.object({
  hold: optional(z.enum(['ask', 'defer'])).describe(
    'How a hold is said; `defer` for agents that cannot route an approval. Default: `ask`',
  ),
  edits: optional(z.enum(['modify', 'deny'])).describe(
    'How an approval with edits is said; `deny` for agents that cannot change a call. Default: `modify`',
  ),
  approval: optional(z.string().regex(/^trc_[0-9a-f]{32}$/)).describe(
    'The decision that holds the tool call: the answer is that of its approver',
  ),
});

export type AcsAddress = z.output<typeof acsQuery>;

export const acsView = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
});

nameSchemas({ GuardianRequest: acsBody, GuardianResponse: acsView });
