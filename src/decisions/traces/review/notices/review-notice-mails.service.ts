// The words of mails about held decisions, composed when they are sent: what, who, how sure, which policy, until when.
import {
  isHeldCard,
  listDecisionFacts,
  toReviewPage,
} from '../../../../domain/events/decision-card.ts';
import { REVIEWERS } from '../../../../domain/identity/roles.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type {
  ComposeReviewNotice,
  NoticeWords,
} from '../../../../events/notifications/notices/notice-mails.service.ts';
import type { ReviewLinks } from '../links/review-links.service.ts';
import type { DecisionCards } from './decision-cards.service.ts';

interface Deps {
  cards: DecisionCards;
  links: ReviewLinks;
}

export function createReviewNoticeMails(
  { publicUrl }: Pick<Platform, 'publicUrl'>,
  { cards, links }: Deps,
): { composeReviewNotice: ComposeReviewNotice } {
  return {
    async composeReviewNotice(
      organizationId,
      { title, about },
      { userId, role },
    ): Promise<NoticeWords | null> {
      const card = await cards.findCard(organizationId, about.traceId ?? '');
      if (!isHeldCard(card) || card.review.status !== 'pending') return null;
      const facts = listDecisionFacts(card).map(([name, value]) => `${name}: ${value}`);
      const paragraphs = [`${title}.`, ...facts];
      if (REVIEWERS.includes(role)) {
        const link = await links.issueLink(card, { userId });
        return { title, paragraphs, label: 'Look at it and decide', link };
      }
      const link = `${publicUrl}${toReviewPage(card.traceId)}`;
      return { title, paragraphs, label: 'Look at it', link };
    },
  };
}
export type ReviewNoticeMails = ReturnType<typeof createReviewNoticeMails>;
