// The words of events about decisions for chats and mails, with a link to the place where people act on them.
import type { ChatCard } from '../../../../domain/events/chat-messages.ts';
import {
  type DecisionCard,
  type Fact,
  isHeldCard,
  listDecisionFacts,
  toDecisionPage,
  toReviewPage,
} from '../../../../domain/events/decision-card.ts';
import type {
  DecisionWords,
  EventCards,
  LinkHolder,
} from '../../../../domain/events/event-cards.ts';
import type { EventBody } from '../../../../domain/events/events.ts';
import { toQuotedName } from '../../../../domain/names/quoted-name.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { AccountReader } from '../../../../identity/auth/accounts/account-reader.service.ts';
import type { ReviewLinks } from '../links/review-links.service.ts';
import type { DecisionCards } from './decision-cards.service.ts';

interface Deps {
  accountReader: AccountReader;
  cards: DecisionCards;
  links: ReviewLinks;
}

const TITLES: Readonly<Record<string, string>> = {
  'trace.created': 'Decision approved',
  'trace.blocked': 'Decision blocked',
  'trace.hold_for_review': 'Decision held for review',
};

export function createEventCards(
  { publicUrl }: Pick<Platform, 'publicUrl'>,
  { accountReader, cards, links }: Deps,
): EventCards {
  async function createAction(card: DecisionCard, holder: LinkHolder | null) {
    if (isHeldCard(card) && card.review.status === 'pending')
      return {
        label: 'Look at it and decide',
        url: holder
          ? await links.issueLink(card, holder)
          : `${publicUrl}${toReviewPage(card.traceId)}`,
      };
    return { label: 'Look at it', url: `${publicUrl}${toDecisionPage(card.traceId)}` };
  }

  async function describeDecision(
    organizationId: string,
    traceId: string,
    holder: LinkHolder | null,
  ): Promise<DecisionWords | null> {
    const card = await cards.findCard(organizationId, traceId);
    if (!card) return null;
    const facts = [...listDecisionFacts(card), ['Decision', traceId] as Fact];
    return { facts, action: await createAction(card, holder) };
  }

  async function findName(userId: string | null): Promise<string> {
    const name = userId === null ? null : await accountReader.findName(userId);
    return name === null ? '' : ` by ${toQuotedName(name)}`;
  }

  /** Null: the decision was erased or deleted, or has no verdict. */
  async function describeVerdict(
    organizationId: string,
    traceId: string,
  ): Promise<ChatCard | null> {
    const card = await cards.findCard(organizationId, traceId);
    if (!isHeldCard(card) || card.review.status === 'pending') return null;
    const { status, decidedBy } = card.review;
    return {
      title: `Review ended: ${status}${await findName(decidedBy)}`,
      facts: [...listDecisionFacts(card), ['Decision', traceId]],
      note: null,
      action: await createAction(card, null),
    };
  }

  return {
    describeDecision,

    async composeCard(
      organizationId: string,
      { event, data }: EventBody,
      holder: LinkHolder,
    ): Promise<ChatCard | null> {
      const { traceId } = data;
      if (typeof traceId !== 'string') return null;
      if (event === 'review.decided') return describeVerdict(organizationId, traceId);
      const title = Object.hasOwn(TITLES, event) ? TITLES[event] : undefined;
      if (title === undefined) return null;
      const words = await describeDecision(organizationId, traceId, holder);
      return words && { title, note: null, ...words };
    },
  };
}
