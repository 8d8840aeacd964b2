// Who gets the words of an event about a decision, and what composes them.
import type { ChatCard } from './chat-messages.ts';
import type { EventBody } from './events.ts';

/** Whom a link is for: a person by mail, or a chat by its rule or webhook. */
export type LinkHolder = { userId: string } | { receiver: string };

/** The facts of a decision in a message, and the page it links to. */
export type DecisionWords = Pick<ChatCard, 'facts' | 'action'>;

export interface EventCards {
  /** Null: the decision was erased or deleted. */
  describeDecision(
    organizationId: string,
    traceId: string,
    holder: LinkHolder | null,
  ): Promise<DecisionWords | null>;
  /** Null for an event that is about no decision, or about one that is gone. */
  composeCard(
    organizationId: string,
    event: EventBody,
    holder: LinkHolder,
  ): Promise<ChatCard | null>;
}
