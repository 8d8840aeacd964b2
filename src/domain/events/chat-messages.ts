// Renders events for two chat services: Slack's incoming webhooks (chat_a) and Adaptive Cards of Teams (chat_b).
import { truncate } from '@assay/json';
import type { Fact } from './decision-card.ts';
import type { EventBody } from './events.ts';

/** The longest title or value; cards and messages have limits of their own. */
const TEXT_MAX = 500;

const TITLES: Readonly<Record<string, string>> = {
  'trace.created': 'Decision approved',
  'trace.blocked': 'Decision blocked',
  'trace.hold_for_review': 'Decision held for review',
  'review.decided': 'Review decided',
  'review.expired': 'Review expired',
  'review.withdrawn': 'Held decision withdrawn',
  'execution.recorded': 'Execution recorded',
  'alert.triggered': 'Alert triggered',
  'webhook.test': 'Test of a webhook',
};

export const findEventTitle = (event: string): string =>
  Object.hasOwn(TITLES, event) ? (TITLES[event] ?? event) : event;

/** A message in words: what happened, its facts, and a link to the place where people act on it. */
export interface ChatCard {
  title: string;
  facts: readonly Fact[];
  /** A sentence below. */
  note: string | null;
  action: { label: string; url: string } | null;
}

/** The facts of a decision in a message, and the page it links to. */
export type DecisionWords = Pick<ChatCard, 'facts'> & { action: NonNullable<ChatCard['action']> };

/** What an event says: a line for each member of `data`. */
function toCard({ event, data }: EventBody): ChatCard {
  const facts = Object.entries(data).flatMap(([name, value]): Fact[] =>
    value == null ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
  );
  return { title: findEventTitle(event), facts, note: null, action: null };
}

/** Escapes the three characters that Slack reads as markup. */
const escapeSlackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const listLines = ({ facts }: ChatCard): string[] =>
  facts.map(([name, value]) => `${name}: ${truncate(value, TEXT_MAX)}`);

const createSlackText = (card: ChatCard): string =>
  [card.title, ...listLines(card), ...(card.note === null ? [] : [card.note])]
    .map(escapeSlackText)
    .join('\n');

/** Text runs appear literally; a text block would interpret Markdown. */
const createParagraph = (...inlines: object[]): object => ({ type: 'RichTextBlock', inlines });
const createTextRun = (text: string, more: object = {}): object => ({
  type: 'TextRun',
  text,
  ...more,
});
const BOLD = { weight: 'Bolder' };

/** Limits of Slack: the header, a field of a section, and the fields of a section. */
const HEADER_MAX = 150;
const FIELDS_MAX = 10;

/** Plain text: nothing in it is markup, a mention or an emoji. */
const createPlainText = (text: string): object => ({ type: 'plain_text', text, emoji: false });

const createSections = (lines: readonly string[]): object[] =>
  Array.from({ length: Math.ceil(lines.length / FIELDS_MAX) }, (_, index) => {
    const shown = lines.slice(index * FIELDS_MAX, (index + 1) * FIELDS_MAX);
    return { type: 'section', fields: shown.map(createPlainText) };
  });

function createSlackCard(card: ChatCard): object {
  const { title, note, action } = card;
  const header = createPlainText(truncate(title, HEADER_MAX));
  const button = action && {
    type: 'button',
    text: createPlainText(action.label),
    url: action.url,
  };
  const blocks = [
    { type: 'header', text: header },
    ...createSections(listLines(card)),
    ...(note === null ? [] : [{ type: 'context', elements: [createPlainText(note)] }]),
    ...(button ? [{ type: 'actions', elements: [button] }] : []),
  ];
  const text = createSlackText(card);
  // Slack opens no address of its own accord.
  return { text, mrkdwn: false, unfurl_links: false, unfurl_media: false, blocks };
}

function createTeamsCard({ title, facts, note, action }: ChatCard): object {
  const content = {
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      createParagraph(createTextRun(title, { ...BOLD, size: 'Medium' })),
      ...facts.map(([name, value]) =>
        createParagraph(createTextRun(`${name}: `, BOLD), createTextRun(truncate(value, TEXT_MAX))),
      ),
      ...(note === null ? [] : [createParagraph(createTextRun(note, { isSubtle: true }))]),
    ],
    ...(action && {
      actions: [{ type: 'Action.OpenUrl', title: action.label, url: action.url }],
    }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

/** Incoming webhooks of Slack, and Adaptive Cards of Teams. */
export type ChatService = 'chat_a' | 'chat_b';

export function createChatCard(service: ChatService, card: ChatCard): object {
  return service === 'chat_a' ? createSlackCard(card) : createTeamsCard(card);
}

/** A message without blocks, about an event that has no card. */
export function createChatMessage(service: ChatService, body: EventBody): object {
  const card = toCard(body);
  return service === 'chat_a'
    ? { text: createSlackText(card), mrkdwn: false }
    : createTeamsCard(card);
}

/** Hosts of Teams workflows; every other chat accepts Slack's format. */
const TEAMS_HOST =
  /(^|\.)(webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com|office\.com)$/;

/** The chat service behind a URL. */
export function detectChatService(url: string): ChatService {
  return TEAMS_HOST.test(new URL(url).hostname.toLowerCase()) ? 'chat_b' : 'chat_a';
}
