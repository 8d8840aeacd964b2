// The words of events about decisions for chats and mails, with a link to the place where people act on them.
import {
  type ChatCard,
  type ChatService,
  createChatCard,
  createChatMessage,
  type DecisionWords,
  findEventTitle,
} from '../../domain/events/chat-messages.ts';
import {
  type DecisionCard,
  isHeldCard,
  type LinkHolder,
  listDecisionFacts,
  toDecisionPage,
  toReviewPage,
} from '../../domain/events/decision-card.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import { findUserName } from '../../identity/auth/accounts/account-reader.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { getDecisionReader } from '../upper-rooms.ts';

const LOOK = 'Look at it';

/** Null: the event is about no decision, or about one that was erased or deleted. */
export async function describeDecision(
  platform: Platform,
  { organizationId, event }: { organizationId: string; event: EventBody },
  holder: LinkHolder | null,
): Promise<DecisionWords | null> {
  const { traceId } = event.data;
  if (typeof traceId !== 'string') return null;
  const card = await getDecisionReader(platform).findCard(organizationId, traceId);
  return card && describeCard(platform, card, holder);
}

/** Describes a held decision to a member; null: it no longer waits. */
export async function describeWaiting(
  platform: Platform,
  { organizationId, traceId }: { organizationId: string; traceId: string },
  { userId, mayDecide }: { userId: string; mayDecide: boolean },
): Promise<DecisionWords | null> {
  const card = await getDecisionReader(platform).findCard(organizationId, traceId);
  if (!isHeldCard(card) || card.review.status !== 'pending') return null;
  const { label, url } = await createAction(platform, card, mayDecide ? { userId } : null);
  return { facts: listDecisionFacts(card), action: { label: mayDecide ? label : LOOK, url } };
}

/** A message about an event: a card, or what the event says where there is none. */
export async function composeMessage(
  platform: Platform,
  service: ChatService,
  {
    event,
    organizationId,
    receiver,
  }: { event: EventBody; organizationId: string; receiver: string },
): Promise<object> {
  const card = await composeCard(platform, organizationId, event, { receiver });
  return card ? createChatCard(service, card) : createChatMessage(service, event);
}

async function createAction(platform: Platform, card: DecisionCard, holder: LinkHolder | null) {
  if (!isHeldCard(card) || card.review.status !== 'pending')
    return { label: LOOK, url: `${platform.publicUrl}${toDecisionPage(card.traceId)}` };
  const url = holder
    ? await getDecisionReader(platform).issueLink(card, holder)
    : `${platform.publicUrl}${toReviewPage(card.traceId)}`;
  return { label: 'Look at it and decide', url };
}

const describeCard = async (platform: Platform, card: DecisionCard, holder: LinkHolder | null) => ({
  facts: [...listDecisionFacts(card), ['Decision', card.traceId] as const],
  action: await createAction(platform, card, holder),
});

async function findName(platform: Platform, userId: string | null): Promise<string> {
  const name = userId === null ? null : await findUserName(platform, userId);
  return name === null ? '' : ` by ${toQuotedName(name)}`;
}

/** Null for an event that is about no decision, or about one that is gone or has no verdict yet. */
async function composeCard(
  platform: Platform,
  organizationId: string,
  { event, data: { traceId } }: EventBody,
  holder: LinkHolder,
): Promise<ChatCard | null> {
  const isVerdict = event === 'review.decided';
  if (typeof traceId !== 'string' || !(isVerdict || event.startsWith('trace.'))) return null;
  const card = await getDecisionReader(platform).findCard(organizationId, traceId);
  if (!card) return null;
  if (!isVerdict)
    return {
      title: findEventTitle(event),
      note: null,
      ...(await describeCard(platform, card, holder)),
    };
  if (!isHeldCard(card) || card.review.status === 'pending') return null;
  const { status, decidedBy } = card.review;
  const title = `Review ended: ${status}${await findName(platform, decidedBy)}`;
  return { title, note: null, ...(await describeCard(platform, card, null)) };
}
