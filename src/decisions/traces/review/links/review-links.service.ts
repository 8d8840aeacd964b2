// Issues links to decide a held decision, and finds them again; only the SHA-256 of a token is stored.
import {
  type HeldCard,
  type LinkHolder,
  toReviewPage,
} from '../../../../domain/events/decision-card.ts';
import { sha256Hex } from '../../../../domain/record/chain.ts';
import type { LinkProof } from '../../../../domain/review/link-proof.ts';
import { insertOne } from '../../../../platform/mongo/queries.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { WorkspaceService } from '../../../../identity/organization/workspaces/workspaces.service.ts';
import type { ReviewLinkDocument } from './review-links.model.ts';

interface Deps {
  workspaces: WorkspaceService;
}

/** How long a link lives at most: a week. */
const LIFETIME_MS = 7 * 24 * 3600_000;

export function createReviewLinks(
  platform: Pick<Platform, 'models' | 'clock' | 'generateToken' | 'publicUrl'>,
  { workspaces }: Deps,
) {
  const { models, clock, generateToken, publicUrl } = platform;

  async function loadProof({
    organizationId,
    workspaceId,
  }: Pick<HeldCard, 'organizationId' | 'workspaceId'>): Promise<LinkProof> {
    const settings = await workspaces.loadSettings(organizationId, workspaceId);
    return settings?.reviewLinks ?? 'sign-in';
  }

  return {
    loadProof,

    /** Issues a link to the page where the decision is decided; to the console where the workspace has no links. */
    async issueLink(card: HeldCard, holder: LinkHolder): Promise<string> {
      if ((await loadProof(card)) === 'off') return `${publicUrl}${toReviewPage(card.traceId)}`;
      const token = generateToken();
      const latest = new Date(clock.now().getTime() + LIFETIME_MS);
      const { expiresAt: end, reviewId, actionDigest } = card.review;
      await insertOne(models.reviewLinks, {
        organizationId: card.organizationId,
        tokenHash: sha256Hex(token),
        traceId: card.traceId,
        reviewId,
        actionDigest,
        ...holder,
        expiresAt: end && end < latest ? end : latest,
      });
      return `${publicUrl}/decide/${token}`;
    },

    /** Null: no such link was issued, or it is long gone. */
    findLink(token: string): Promise<ReviewLinkDocument | null> {
      return models.reviewLinks
        .findOne({ tokenHash: sha256Hex(token) }, null, { crossTenant: true })
        .lean<ReviewLinkDocument>();
    },

    /** Marks a live link as used; of any number of simultaneous calls one succeeds. */
    async consumeLink({ _id, organizationId }: ReviewLinkDocument): Promise<boolean> {
      const now = clock.now();
      const where = { _id, organizationId, spentAt: null, expiresAt: { $gt: now } };
      const update = { $set: { spentAt: now } };
      return (await models.reviewLinks.updateOne(where, update)).modifiedCount > 0;
    },

    /** Makes a link usable again whose verdict could not be given. */
    async restoreLink({ _id, organizationId }: ReviewLinkDocument): Promise<void> {
      await models.reviewLinks.updateOne({ _id, organizationId }, { $set: { spentAt: null } });
    },
  };
}
export type ReviewLinks = ReturnType<typeof createReviewLinks>;
