// When single notices become a digest, when a deadline is near, and what a member takes.
import { expect, test } from 'vitest';
import { WAITING } from '../../../src/domain/events/event-table.ts';
import {
  closeDigest,
  computeNearTime,
  countNotices,
  createDigestTitle,
  isWanted,
  type NoticeWindow,
} from '../../../src/domain/events/notices.ts';

const settings = { after: 5, minutes: 10 };
const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minutes));

function count(before: NoticeWindow | null, minute: number, notices = 1) {
  return countNotices(before, { at: at(minute), count: notices }, settings);
}

test('the first five of ten minutes are sent one by one, and the others gathered', () => {
  const first = count(null, 0, 3);
  expect(first).toEqual({ single: 3, window: { endsAt: at(10), sent: 3, gathered: 0 } });
  const second = count(first.window, 9, 197);
  expect(second).toEqual({ single: 2, window: { endsAt: at(10), sent: 5, gathered: 195 } });
  expect(count(second.window, 9)).toMatchObject({ single: 0, window: { gathered: 196 } });
});

test('a window that has ended quietly begins again', () => {
  const { window } = count(null, 0, 5);
  expect(count(window, 10)).toEqual({
    single: 1,
    window: { endsAt: at(20), sent: 1, gathered: 0 },
  });
});

test('what was gathered waits for its digest, however late that is', () => {
  const { window } = count(null, 0, 6);
  expect(count(window, 30)).toEqual({
    single: 0,
    window: { endsAt: at(10), sent: 5, gathered: 2 },
  });
});

test('while a storm lasts there are digests alone', () => {
  const after = closeDigest(at(10), settings);
  expect(count(after, 12, 40)).toMatchObject({ single: 0, window: { gathered: 40 } });
  expect(count(after, 20, 2)).toMatchObject({ single: 2, window: { gathered: 0 } });
});

test('a member may want digests alone', () => {
  const counted = countNotices(null, { at: at(0), count: 1 }, { after: 0, minutes: 60 });
  expect(counted).toEqual({ single: 0, window: { endsAt: at(60), sent: 0, gathered: 1 } });
});

test.each([
  ['an hour', 60, 45],
  ['three days', 3 * 1440, 3 * 1440 - 1080],
  ['thirty days', 30 * 1440, 29 * 1440],
  ['no time', 0, 0],
])('a deadline in %s is near at its last quarter, at most a day before', (_, total, near) => {
  expect(computeNearTime(at(0), at(total))).toEqual(at(near));
});

test('an opt-out names the event or its type', () => {
  const off = { email: ['review.held'], inApp: ['alert'] };
  expect(isWanted('review.held', 'email', off)).toBe(false);
  expect(isWanted('review.held', 'inApp', off)).toBe(true);
  expect(isWanted('review.overdue', 'inApp', off)).toBe(false);
  expect(isWanted('review.overdue', 'email', undefined)).toBe(true);
});

test('a digest says how many there are of what, and where', () => {
  expect(createDigestTitle('review.held', 195)).toBe('195 more: held decisions wait for a person');
  expect(WAITING['incident.due'].page).toBe('/console/incidents');
});
