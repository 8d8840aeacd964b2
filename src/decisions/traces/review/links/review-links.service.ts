// Issues links to decide a held decision, and finds them again; only the SHA-256 of a token is stored.
import { loadWorkspaceSettings } from '../../../../identity/organization/workspaces/workspaces.service.ts';
import {
  type HeldCard,
  type LinkHolder,
  toReviewPage,
} from '../../../../domain/events/decision-card.ts';
import { sha256Hex } from '../../../../domain/record/chain.ts';
import type { LinkProof } from '../../../../domain/review/link-proof.ts';
import { insertOne } from '../../../../platform/mongo/queries.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { ReviewLinkDocument } from './review-links.model.ts';

/** How long a link lives at most: a week. */
const LIFETIME_MS = 7 * 24 * 3600_000;

export async function loadLinkProof(
  platform: Platform,
  { organizationId, workspaceId }: Pick<HeldCard, 'organizationId' | 'workspaceId'>,
): Promise<LinkProof> {
  const settings = await loadWorkspaceSettings(platform, organizationId, workspaceId);
  return settings?.reviewLinks ?? 'sign-in';
}

/** Issues a link to the page where the decision is decided; to the console where the workspace has no links. */
export async function issueReviewLink(
  platform: Platform,
  card: HeldCard,
  holder: LinkHolder,
): Promise<string> {
  if ((await loadLinkProof(platform, card)) === 'off')
    return `${platform.publicUrl}${toReviewPage(card.traceId)}`;
  const token = platform.generateToken();
  const latest = new Date(platform.clock.now().getTime() + LIFETIME_MS);
  const { expiresAt: end, reviewId, actionDigest } = card.review;
  await insertOne(platform.models.reviewLinks, {
    organizationId: card.organizationId,
    tokenHash: sha256Hex(token),
    traceId: card.traceId,
    reviewId,
    actionDigest,
    ...holder,
    expiresAt: end && end < latest ? end : latest,
  });
  return `${platform.publicUrl}/decide/${token}`;
}

/** Null: no such link was issued, or it is long gone. */
export function findReviewLink(
  platform: Platform,
  token: string,
): Promise<ReviewLinkDocument | null> {
  return platform.models.reviewLinks
    .findOne({ tokenHash: sha256Hex(token) }, null, { crossTenant: true })
    .lean<ReviewLinkDocument>();
}

/** Marks a live link as used; of any number of simultaneous calls one succeeds. */
export async function consumeReviewLink(
  platform: Platform,
  { _id, organizationId }: ReviewLinkDocument,
): Promise<boolean> {
  const now = platform.clock.now();
  const where = { _id, organizationId, spentAt: null, expiresAt: { $gt: now } };
  const update = { $set: { spentAt: now } };
  return (await platform.models.reviewLinks.updateOne(where, update)).modifiedCount > 0;
}

/** Makes a link usable again whose verdict could not be given. */
export async function restoreReviewLink(
  platform: Platform,
  { _id, organizationId }: ReviewLinkDocument,
): Promise<void> {
  await platform.models.reviewLinks.updateOne({ _id, organizationId }, { $set: { spentAt: null } });
}
