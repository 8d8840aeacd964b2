// Recognises the repetition of a claim whose answer was lost: the same owner, the same key, the same words.
import { canonicalize } from '@assay/json';
import type { Actor, ExecutionPayload } from '../../../domain/record/payload.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import type { ClaimInput } from './executions.schemas.ts';
import type { ExecutionEntry } from './executions.view.ts';

/** A claim, with the key by which it may be repeated. */
export type KeyedClaim = ClaimInput & { idempotencyKey: string | undefined };

/** The committed value of a claim that may be repeated. */
export const REQUEST = 'request';

/** Digest of the key and of what is claimed; undefined without a key. */
export function computeClaimDigest(claim: KeyedClaim): string | undefined {
  const { idempotencyKey, rawActionDigest, editedActionDigest = null, leaseSeconds } = claim;
  if (idempotencyKey === undefined) return undefined;
  return sha256Hex(
    canonicalize([idempotencyKey, rawActionDigest, editedActionDigest, leaseSeconds]),
  );
}

/** Whether an opened entry is the claim that this caller repeats. */
export function isRepeated(
  { view, sealed }: ExecutionEntry,
  { actor, claim }: { actor: Actor; claim: KeyedClaim },
): boolean {
  const request = computeClaimDigest(claim);
  const text = sealed?.[REQUEST]?.text;
  if (request === undefined || text === undefined) return false;
  const owner = (JSON.parse(view) as ExecutionPayload).actor;
  const isOwner = owner.kind === actor.kind && owner.id === actor.id;
  return isOwner && JSON.parse(text) === request;
}
