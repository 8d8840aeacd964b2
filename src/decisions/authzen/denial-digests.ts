// Keyed digests of denied questions: plain ones would let an erased question be guessed.
import { createHmac } from 'node:crypto';
import { canonicalize, type Json } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';

/** What a digest is of; digests for different purposes never agree. */
type Purpose = 'access-hold' | 'access-denial' | 'access-actors' | 'access-once' | 'access-body';

/** The organisation is part of each digest. */
export function computeDenialDigest(
  secrets: Platform['secrets'],
  purpose: Purpose,
  [organizationId, ...values]: readonly [organizationId: string, ...values: Json[]],
): string {
  const text = `${purpose}:${canonicalize([organizationId, ...values])}`;
  return createHmac('sha256', secrets.ledgerKey).update(text).digest('base64url');
}
