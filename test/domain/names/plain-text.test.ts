// Texts of agents in mails and chats: readable, and nothing that a reader turns into a link or a mention.
import { expect, test } from 'vitest';
import { toPlainText } from '../../../src/domain/names/plain-text.ts';

test.each([
  ['numbers stay', '{"amount":120.5,"at":"10:30"}', '{"amount":120.5,"at":"10:30"}'],
  ['addresses come apart', 'see https://evil.example.com/x', 'see https: //evil. example. com/x'],
  ['mentions come apart', '@here and a@b.example', '@ here and a@ b. example'],
  ['lines become one', 'a\r\nb\tc', 'a b c'],
  ['hidden characters show', 'a\u202eb\u200bc\u0007', 'a\\u{202e}b\\u{200b}c\\u{7}'],
  ['other dots count', 'evil\u3002com', 'evil\u3002 com'],
])('%s', (_, text, shown) => {
  expect(toPlainText(text, 100)).toBe(shown);
});

test('a long text ends with an ellipsis', () => {
  expect(toPlainText('x'.repeat(50), 10)).toBe(`${'x'.repeat(10)}…`);
});
