// Inputs and views of the hash chain (document 2, resource HashChainEntry and section 4.5).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { from, id, instant, to } from '../../http/declaration/views.ts';

const count = z.number().int();
const sequence = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const hash = z.string().describe('64 hex digits');

export const chainStatusView = z.object({
  totalEntries: count,
  lastSequence: count,
  lastChainHash: z.string().nullable(),
  lastEntryAt: instant.nullable(),
  anchorCount: count,
  lastAnchorAt: instant.nullable(),
  lastVerifiedAt: instant.nullable(),
  lastVerificationOk: z.boolean().nullable(),
  algorithm: z.literal('sha256'),
  canonicalization: z.literal('rfc8785'),
  appendLatencyP95Ms: z.number().nullable(),
  appendLatency: z.object({
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
    p99Ms: z.number().nullable(),
  }),
});
export type ChainStatus = z.input<typeof chainStatusView>;

const places = z.array(z.object({ sequence: count, field: z.string() }));
export const verificationView = z.object({
  verified: z.boolean(),
  ok: z.boolean(),
  fromSequence: count.describe('1, or what comes after the last verified position'),
  totalChecked: count,
  lastValidSequence: count,
  brokenAtSequence: count.nullable(),
  brokenReason: z.enum(['prev-hash-mismatch', 'chain-hash-mismatch', 'sequence-gap']).nullable(),
  expectedSequence: count.exactOptional(),
  brokenDetail: z.string().nullable(),
  durationMs: count,
  verifiedAt: instant,
  payload: z.object({
    checked: count,
    mismatched: places,
    missing: places,
    erased: count,
    unstored: count,
  }),
  completeness: z.object({
    headSequence: count,
    ok: z.boolean().nullable().describe('null: nothing outside the chain tells how far it reached'),
  }),
});
export type VerificationView = z.input<typeof verificationView>;

const stampView = z.object({
  value: z.string().describe('TimeStampToken (RFC 3161) in DER, base64'),
  issuer: z.string().describe('Subject of the certificate that signed it'),
  issuedAt: instant,
  serial: z.string().describe('Hex'),
});
export const entryView = z.object({
  id,
  _id: id,
  organizationId: id,
  sequence: count,
  kind: z.string(),
  traceId: z.string().nullable(),
  prevHash: z.string(),
  payloadDigest: z.string(),
  payloadHash: z.string(),
  chainHash: z.string(),
  createdAt: instant,
  merkleRoot: hash.nullable().describe('Of the first anchor that covers the entry'),
  merkleLeafIndex: count.nullable(),
  merkleAnchorId: id.nullable(),
  eidasTimestamp: stampView
    .nullable()
    .describe('The first that covers the entry; null until there is one'),
});
export type ChainEntryView = z.input<typeof entryView>;

const cosignatures = z.array(z.object({ witness: z.string(), at: instant }));
const headsProofView = z
  .object({
    index: count,
    treeSize: count,
    hashes: z.array(hash),
    checkpoint: z.string(),
    cosignatures: cosignatures.describe('Witnesses that have signed this checkpoint'),
    witnessed: z
      .boolean()
      .describe(
        'Whether as many as the policy of witnesses asks for have signed it, or a later one',
      ),
  })
  .nullable()
  .describe(
    'That this anchor is in the heads log, whose checkpoints witnesses sign, if there are any',
  );
export const proofView = z.object({
  anchorId: id,
  origin: z.string(),
  leafIndex: count,
  treeSize: count,
  leafHash: hash,
  hashes: z.array(hash).describe('From the sibling of the leaf up (RFC 6962, 2.1.1)'),
  checkpoint: z.string(),
  witnessed: z
    .boolean()
    .describe('Whether witnesses have signed for it; else only the service has'),
  heads: headsProofView,
});
export const verificationQuery = z.object({
  since: optional(z.literal('verified')).describe(
    'only what came after the last verification without findings',
  ),
});

/** Other texts cannot name a decision. */
export const traceParam = z.object({ traceId: z.string().regex(/^[A-Za-z0-9._:()-]{1,200}$/) });
export const entryOfTraceView = z.object({
  entry: entryView,
  proof: proofView
    .nullable()
    .describe(
      'In the newest anchor that is witnessed; where no witness is configured, in the newest one, which `witnessed` says. Null until there is one',
    ),
  related: z.array(entryView),
});
/** The entry that ingested a decision, and the later ones about it, oldest first. */
export type DecisionEntries = z.input<typeof entryOfTraceView>;

export const ENTRIES_LIMIT = 500;
export const entriesQuery = z.object({
  limit: withDefault(z.coerce.number().int().min(1), 50)
    .transform((limit) => Math.min(limit, ENTRIES_LIMIT))
    .describe(`page size, at most ${ENTRIES_LIMIT}`),
  beforeSeq: optional(sequence).describe('entries below this sequence'),
  search: optional(z.string().trim().min(1).max(200)).describe(
    'beginning of a traceId or a chainHash',
  ),
});
export const entriesView = z.object({ entries: z.array(entryView), hasMore: z.boolean() });

export const ANCHORS_LIMIT = 500;
export const anchorsQuery = z.object({
  limit: withDefault(z.coerce.number().int().min(1), 100)
    .transform((limit) => Math.min(limit, ANCHORS_LIMIT))
    .describe(`page size, at most ${ANCHORS_LIMIT}`),
  beforeSize: optional(sequence).describe('anchors of smaller trees'),
});
export const anchorView = z.object({
  anchorId: id,
  origin: z.string().describe('Name of the log and of the key that signs its checkpoints'),
  treeSize: count.describe('It covers the entries 1 to this'),
  root: hash,
  sealedAt: instant,
  checkpoint: z.string().describe('Signed note (c2sp.org/tlog-checkpoint)'),
  cosignatures: cosignatures.describe(
    'Of this checkpoint itself; witnesses sign those of the heads log, whose signatures a proof shows',
  ),
  witnessed: z
    .boolean()
    .describe('Whether as many witnesses as the policy asks for have signed a head above it'),
  eidasTimestamp: stampView
    .nullable()
    .describe('The first that covers it; null until there is one'),
});
export const anchorsView = z.array(anchorView);

export const anchorParam = z.object({ anchorId: z.string().max(64) });
export const proofQuery = z.object({ sequence });
export const proofFileQuery = z.object({
  sequence: optional(sequence).describe('absent: of the anchor itself, in the heads log'),
  head: withDefault(z.enum(['witnessed', 'stamped']), 'witnessed').describe(
    'which head of the heads log: `witnessed`, the newest, signed by witnesses where any are configured; `stamped`, the one under the time stamp of the anchor',
  ),
});

export const headsFileQuery = z.object({
  origin: optional(z.string().max(300)).describe(
    'name of a log that another one has followed; absent: the newest log of the chain',
  ),
});

const base64Hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64');
export const promiseCheckBody = z
  .object({
    sequence: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
    chainHash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits'),
    promise: z.object({
      note: z.string().min(1).max(2000),
      index: z.number().int().min(0).max(63),
      path: z.array(base64Hash).max(6),
    }),
  })
  .describe('The `hashChain` member of an answer to an ingestion, as it is');
const newestAnchor = z.object({
  anchorId: id,
  treeSize: count,
  sealedAt: instant,
  checkpoint: z.string().describe('Signed note (c2sp.org/tlog-checkpoint)'),
  heads: headsProofView,
});
export const promiseCheckView = z.object({
  verdict: z.enum(['kept', 'not-due', 'broken']),
  reason: z
    .enum(['other-entry', 'too-late', 'not-in-log', 'log-altered'])
    .nullable()
    .describe('Why it is broken; null: it is not'),
  origin: z.string().describe('Name of the log that the promise is about'),
  before: instant.describe('The time before which a checkpoint had to cover the entry'),
  checkedAt: instant,
  anchoredAt: instant.nullable().describe('When the first checkpoint that covers it was signed'),
  foundChainHash: hash.nullable().describe('What the log has in its place; null: nothing yet'),
  proof: proofView.nullable().describe('Of what the log has there; null: nothing that is signed'),
  newest: newestAnchor.nullable().describe('How far the log reaches; null: nothing is signed yet'),
});

export const bundleQuery = z.object({
  from: optional(from).describe('default: 30 days before `to`'),
  to: optional(to).describe('default: now'),
  fromSequence: optional(sequence).describe('takes precedence over the dates'),
  toSequence: optional(sequence).describe('takes precedence over the dates'),
  format: withDefault(z.literal('json'), 'json'),
  disclose: optional(
    z
      .string()
      .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
      .pipe(
        z
          .array(
            z
              .string()
              .regex(
                /^[a-z][A-Za-z0-9]{0,63}$/,
                'must be names of committed values, such as rationale',
              ),
          )
          .max(50),
      ),
  ).describe('names of committed values to show, comma-separated; owner or admin, audited'),
});
export type BundleQuery = z.output<typeof bundleQuery>;

nameSchemas({
  ChainAnchor: anchorView,
  ChainProof: proofView,
  ChainPromiseCheck: promiseCheckView,
  ChainTimeStamp: stampView,
  ChainStatus: chainStatusView,
  ChainVerification: verificationView,
  ChainEntry: entryView,
  ChainEntryOfDecision: entryOfTraceView,
  ChainEntries: entriesView,
});
