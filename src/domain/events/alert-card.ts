// The words of alerts for chats and mails: which rule, what, who, how sure, which policy, and where to decide.
import { scrubStrictly } from '@assay/scrub';
import { toPlainText } from '../names/plain-text.ts';
import { toQuotedName } from '../names/quoted-name.ts';
import type { ChatCard, DecisionWords } from './chat-messages.ts';
import type { Fact } from './decision-card.ts';
import type { EventBody } from './events.ts';

const DESCRIPTION_MAX = 500;
const TEST_NOTE = 'This is a test of the alert rule. Nothing has happened.';

/** Whether the event was made up to try the rule out. */
export const isTestEvent = ({ data }: EventBody): boolean => data['test'] === true;

/** The names of silent agents, and how many more there are. */
function listSilent({ agents, agentCount }: EventBody['data']): string | null {
  if (!Array.isArray(agents)) return null;
  const names = (agents as { agentName: string }[]).map(({ agentName }) => toQuotedName(agentName));
  const others = Number(agentCount) - names.length;
  return [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

const listRuleFacts = ({ traceId, ...data }: EventBody['data']): Fact[] =>
  [
    ['Rule matched', data['condition']],
    ['Value', data['valueTriggeredAt']],
    ['Decisions', data['decisions']],
    ['Silent agents', listSilent(data)],
    ['Decision', traceId],
  ].flatMap(([name, value]): Fact[] =>
    typeof value === 'string' || typeof value === 'number' ? [[String(name), String(value)]] : [],
  );

/** `decision`: what the alert is about; null: no decision, or one that is gone. */
export function createAlertCard(
  { name, severity, description }: { name: string; severity: string; description: string },
  event: EventBody,
  decision: DecisionWords | null,
): ChatCard {
  const isTest = isTestEvent(event);
  const ruleFacts = listRuleFacts(event.data).filter(([fact]) => !decision || fact !== 'Decision');
  const text = description === '' ? null : toPlainText(scrubStrictly(description), DESCRIPTION_MAX);
  return {
    title: `${isTest ? 'Test alert' : 'Alert'} (${severity}): ${toQuotedName(scrubStrictly(name))}`,
    facts: [...(decision?.facts ?? []), ...ruleFacts],
    note: isTest ? TEST_NOTE : text,
    action: decision?.action ?? null,
  };
}
