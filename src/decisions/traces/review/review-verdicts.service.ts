// Reads reviewers' verdicts from their entries: the texts, and the receipt that proves them.
import type { Json } from '@assay/json';
import type { Platform } from '../../../platform/platform.ts';
import { type CommittedValue, deriveSalt, readSealed } from '../../../domain/record/commitments.ts';
import type { Sealed } from '../../../ledger/entry.ts';
import type { VerdictReceipt } from './review.schemas.ts';

export interface ReviewVerdict {
  reason: string | null;
  notes: string | null;
  /** A merge patch of the action; null: approved as it is. */
  edits: Json;
  /** How it was given; null: by the API. */
  via: 'link' | 'card' | 'console' | null;
  receipt: VerdictReceipt;
}

interface ReviewEntry extends Sealed {
  traceId: string;
  sealed?: Record<string, CommittedValue | null>;
}

/** Verdicts by `traceId`; decisions without a verdict are missing. */
export async function loadVerdicts(
  platform: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, ReviewVerdict>> {
  if (traceIds.length === 0) return new Map();
  const found = await platform.models.ledger
    .find(
      { organizationId, traceId: { $in: traceIds }, kind: 'review' },
      'traceId sequence chainHash sealed content generation',
    )
    .lean<ReviewEntry[]>();
  const opened = await platform.contents.decryptDocuments(organizationId, found);
  return new Map(opened.map((entry) => [entry.traceId, toVerdict(entry)]));
}

function toVerdict({ sequence, chainHash, sealed = {} }: ReviewEntry): ReviewVerdict {
  const readText = (name: string): string | null => readSealed(sealed, name);
  const seed = sealed['actionDigest']?.seed;
  const salt = seed === undefined ? null : deriveSalt(seed, '');
  const receipt = { sequence, chainHash, actionDigest: readText('actionDigest'), salt };
  return {
    reason: readText('reason'),
    notes: readText('notes'),
    edits: readSealed(sealed, 'edits'),
    via: readText('via') as ReviewVerdict['via'],
    receipt,
  };
}
