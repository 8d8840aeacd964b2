// What a witness tells, and what it is answered (document 1, section 7).
import { z } from 'zod';
import { id, instant } from '../../http/declaration/views.ts';

const chainHash = z.string().regex(/^[0-9a-f]{64}$/);

export const gossipInput = z.object({
  payload: z
    .looseObject({
      organizationId: z.string().regex(/^[0-9a-f]{24}$/),
      sequence: z.int().min(1),
      chainHash,
      timestamp: z
        .unknown()
        .optional()
        .describe('ISO 8601 with its offset, or milliseconds since the epoch; required'),
    })
    .describe('All of it is signed, further members too'),
  signature: z
    .string()
    .max(200)
    .describe('HMAC-SHA256 over the canonical JSON (RFC 8785) of `payload`, in hex'),
  keyId: z.string().max(64),
});

export const gossipView = z.object({
  agrees: z
    .boolean()
    .nullable()
    .describe('Whether the chain has that hash at that sequence; null: it has no such sequence'),
  head: z.object({ organizationId: id, sequence: z.int(), chainHash, at: instant }).nullable(),
  statement: z
    .string()
    .nullable()
    .describe('The head as JWS compact (ES256, type assay-chain-head+jws); null without a head'),
});
