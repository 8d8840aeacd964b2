// Events as chat messages: no value is interpreted as markup.
import { expect, test } from 'vitest';
import type { Json } from '@assay/json';
import {
  createChatCard,
  createChatMessage,
  detectChatService,
} from '../../../src/domain/events/chat-messages.ts';

const body = (data: Record<string, Json>) => ({
  event: 'trace.blocked',
  timestamp: '2026-01-01T00:00:00.000Z',
  data,
});

test('Slack receives plain text with its three special characters escaped', () => {
  const data = { agentName: '<!channel> & <https://evil.example.com/|click>', none: null, n: 1 };
  expect(createChatMessage('chat_a', body(data))).toEqual({
    text: 'Decision blocked\nagentName: &lt;!channel&gt; &amp; &lt;https://evil.example.com/|click&gt;\nn: 1',
    mrkdwn: false,
  });
});

test('Teams receives a card of text runs, which do not interpret Markdown', () => {
  const reason = '[click](https://evil.example.com)';
  const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more });
  const bold = { weight: 'Bolder' };
  expect(createChatMessage('chat_b', body({ reason }))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'RichTextBlock',
              inlines: [run('Decision blocked', { ...bold, size: 'Medium' })],
            },
            { type: 'RichTextBlock', inlines: [run('reason: ', bold), run(reason)] },
          ],
        },
      },
    ],
  });
});

test.each(['__proto__', 'constructor', 'agent.created'])('%s is its own title', (event) => {
  const message = createChatMessage('chat_a', { ...body({}), event }) as { text: string };
  expect(message.text).toBe(event);
});

test('long values are cut', () => {
  const message = createChatMessage('chat_a', body({ reason: 'x'.repeat(10_000) })) as {
    text: string;
  };
  expect(message.text.length).toBeLessThan(600);
});

test.each([
  ['https://hooks.slack.example.com/services/a', 'chat_a'],
  ['https://chat.example.com/hook', 'chat_a'],
])('%s leads to %s', (url, service) => {
  expect(detectChatService(url)).toBe(service);
});

test.each([
  ['prod-1.westeurope', 'logic.azure.com', 'chat_b'],
  ['tenant', 'webhook.office.com', 'chat_b'],
  ['default.environment', 'api.powerplatform.com', 'chat_b'],
  ['evil', 'webhook.office.com.example.com', 'chat_a'],
])('%s.%s leads to %s', (name, host, service) => {
  expect(detectChatService(`https://${name}.${host}:443/x`)).toBe(service);
});

const card = {
  title: 'Waits for a person',
  facts: [
    ['Agent', '“<!channel> *till*”'],
    ['Action', 'x'.repeat(600)],
  ],
  note: 'This is a test.',
  action: { label: 'Decide', url: 'https://assay.example.com/decide/abc' },
} as const;

test('a card for Slack has blocks of plain text, a button, and unfolds no address', () => {
  expect(createChatCard('chat_a', card)).toEqual({
    text: `Waits for a person\nAgent: “&lt;!channel&gt; *till*”\nAction: ${'x'.repeat(500)}\nThis is a test.`,
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Waits for a person', emoji: false } },
      {
        type: 'section',
        fields: [
          { type: 'plain_text', text: 'Agent: “<!channel> *till*”', emoji: false },
          { type: 'plain_text', text: `Action: ${'x'.repeat(500)}`, emoji: false },
        ],
      },
      {
        type: 'context',
        elements: [{ type: 'plain_text', text: 'This is a test.', emoji: false }],
      },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            text: { type: 'plain_text', text: 'Decide', emoji: false },
            url: 'https://assay.example.com/decide/abc',
          },
        ],
      },
    ],
  });
});

test('a card for Teams has text runs, which are literal, and opens the link', () => {
  const message = createChatCard('chat_b', card) as {
    attachments: { content: { body: object[]; actions: object[] } }[];
  };
  const [{ content } = { content: { body: [], actions: [] } }] = message.attachments;
  expect(content.actions).toEqual([
    { type: 'Action.OpenUrl', title: 'Decide', url: 'https://assay.example.com/decide/abc' },
  ]);
  expect(content.body).toHaveLength(4);
  expect(JSON.stringify(content.body)).not.toContain('"TextBlock"');
});
