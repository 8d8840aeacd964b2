// The message of a witness, and the answer to it (document 1, section 7).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { createSignedInput } from '../../http/declaration/signed-input.ts';
import { id, instant } from '../../http/declaration/views.ts';

const chainHash = z.string().regex(/^[0-9a-f]{64}$/);

export const gossipInput = createSignedInput({ sequence: z.int().min(1), chainHash });

/** The handler reads the bytes. */
export const cosignInput = z
  .string()
  .describe('The old size, a proof that leads from it, and a checkpoint (c2sp.org/tlog-witness)');

export const originParam = z.object({ originHash: z.string().max(64) });

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
export type HeadComparison = z.input<typeof gossipView>;

nameSchemas({ GossipInput: gossipInput, GossipAnswer: gossipView });
