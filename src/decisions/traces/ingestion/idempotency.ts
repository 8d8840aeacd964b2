// Derives the idempotency key of an ingestion from the caller's header or from the request (document 1, section 8).
import { computeKeyedDigest } from '../../../domain/keyed-digest.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';

export interface IdempotencySource {
  organizationId: string;
  /** Value of the header `Idempotency-Key`, compared without case. */
  header: string | undefined;
  /** The agent as the body names it; null if it cannot be read. */
  agentId: string | null;
  rawBody: Buffer;
}

const HEADER_MAX = 256;

/**
 * 16 bytes of HMAC-SHA256 over the source and the key: a plain digest would let an erased body be guessed.
 * Null when nothing can be derived.
 * @throws AppError `SVC_VALIDATION_FAILED` when the header is longer than 256 characters
 */
export function deriveIdempotencyKey(
  ledgerKey: string,
  { organizationId, header, agentId, rawBody }: IdempotencySource,
): Buffer | null {
  if (header !== undefined && header.length > HEADER_MAX)
    throw new AppError(
      'SVC_VALIDATION_FAILED',
      `Idempotency-Key: at most ${HEADER_MAX} characters`,
    );
  if (header) return computeKeyedDigest(ledgerKey, `header:${header.toLowerCase()}`);
  if (agentId === null) return null;
  const source = Buffer.concat([Buffer.from(`${agentId}:${organizationId}:`), rawBody]);
  return computeKeyedDigest(ledgerKey, `derived:${sha256Hex(source)}`);
}
