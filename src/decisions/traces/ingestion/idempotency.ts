// Derives the idempotency key of an ingestion from the caller's header or from the request (document 1, section 8).
import { createHmac } from 'node:crypto';
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

const KEY_BYTES = 16;
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
  if (header) return computeHmac(ledgerKey, `header:${header.toLowerCase()}`);
  if (agentId === null) return null;
  const source = Buffer.concat([Buffer.from(`${agentId}:${organizationId}:`), rawBody]);
  return computeHmac(ledgerKey, `derived:${sha256Hex(source)}`);
}

/** A keyed digest of an unregistered agent's name: the name itself may be personal, and is scrubbed. */
export function deriveAgentMark(
  ledgerKey: string,
  organizationId: string,
  agentRef: string,
): string {
  return computeHmac(ledgerKey, `agent:${organizationId}:${agentRef}`).toString('base64url');
}

function computeHmac(ledgerKey: string, text: string): Buffer {
  return createHmac('sha256', ledgerKey).update(text).digest().subarray(0, KEY_BYTES);
}
