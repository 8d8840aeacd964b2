// The words of alerts for chats and mails: which rule, what, who, how sure, which policy, and where to decide.
import { scrubStrictly } from '@assay/scrub';
import type { ChatCard } from '../../domain/events/chat-messages.ts';
import type { Fact } from '../../domain/events/decision-card.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { toPlainText } from '../../domain/names/plain-text.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { EventCards } from '../../domain/events/event-cards.ts';
import type { AlertRuleDocument } from './alerts.model.ts';

interface Deps {
  eventCards: EventCards;
}

/** Whom the message is for: a chat of the rule, or a member by mail, who decides where the role lets them. */
export type AlertReader = { receiver: string } | { userId: string } | null;

const DESCRIPTION_MAX = 500;
const TEST_NOTE = 'This is a test of the alert rule. Nothing has happened.';

/** Whether the event was made up to try the rule out. */
export const isTestEvent = ({ data }: EventBody): boolean => data['test'] === true;

const listRuleFacts = ({ condition, valueTriggeredAt, traceId }: EventBody['data']): Fact[] =>
  [
    ['Rule matched', condition],
    ['Value', valueTriggeredAt],
    ['Decision', traceId],
  ].flatMap(([name, value]): Fact[] =>
    typeof value === 'string' || typeof value === 'number' ? [[String(name), String(value)]] : [],
  );

export function createAlertCards({ eventCards }: Deps) {
  return {
    async composeAlert(
      { organizationId, name, severity, description }: AlertRuleDocument,
      event: EventBody,
      reader: AlertReader,
    ): Promise<ChatCard> {
      const isTest = isTestEvent(event);
      const { traceId } = event.data;
      const decision =
        isTest || typeof traceId !== 'string'
          ? null
          : await eventCards.describeDecision(organizationId.toHexString(), traceId, reader);
      const ruleFacts = listRuleFacts(event.data).filter(
        ([fact]) => !decision || fact !== 'Decision',
      );
      const text =
        description === '' ? null : toPlainText(scrubStrictly(description), DESCRIPTION_MAX);
      return {
        title: `${isTest ? 'Test alert' : 'Alert'} (${severity}): ${toQuotedName(scrubStrictly(name))}`,
        facts: [...(decision?.facts ?? []), ...ruleFacts],
        note: isTest ? TEST_NOTE : text,
        action: decision?.action ?? null,
      };
    },

    /** The message that follows a card once the decision has a verdict; null: it is gone. */
    composeVerdict(
      { organizationId, _id }: AlertRuleDocument,
      event: EventBody,
    ): Promise<ChatCard | null> {
      const holder = { receiver: _id.toHexString() };
      return eventCards.composeCard(organizationId.toHexString(), event, holder);
    },
  };
}
export type AlertCards = ReturnType<typeof createAlertCards>;
