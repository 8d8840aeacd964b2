// When notices of what waits become a digest, and which of them a member takes (docs/guides/notifications.md).
import { EVENTS, type EventName, type NoticeEvent, WAITING } from './event-table.ts';

/** When single notices of one event become a digest: after how many within how many minutes. */
export interface DigestSettings {
  after: number;
  minutes: number;
}
export const DIGEST_DEFAULT: DigestSettings = { after: 5, minutes: 10 };
export const DIGEST_AFTER_MAX = 50;
/** A day. */
export const DIGEST_MINUTES_MAX = 1440;

/** The notices of one event that a member got lately. */
export interface NoticeWindow {
  endsAt: Date;
  /** Notices sent one by one. */
  sent: number;
  /** Notices that the next digest counts. */
  gathered: number;
}

const MINUTE_MS = 60_000;

export const computeWindowEnd = (from: Date, { minutes }: DigestSettings): Date =>
  new Date(from.getTime() + minutes * MINUTE_MS);

/**
 * Counts new notices: the first ones of a window are sent one by one, the others are gathered. A window that still
 * holds gathered notices stays open until their digest is sent.
 */
export function countNotices(
  before: NoticeWindow | null,
  { at, count }: { at: Date; count: number },
  settings: DigestSettings,
): { window: NoticeWindow; single: number } {
  const isOpen = before !== null && (before.gathered > 0 || at < before.endsAt);
  const window = isOpen ? before : { endsAt: computeWindowEnd(at, settings), sent: 0, gathered: 0 };
  const room = window.gathered > 0 ? 0 : Math.max(0, settings.after - window.sent);
  const single = Math.min(room, count);
  const { endsAt, sent, gathered } = window;
  return { window: { endsAt, sent: sent + single, gathered: gathered + count - single }, single };
}

/** The window after a digest: nothing is sent one by one until it has ended quietly. */
export function closeDigest(now: Date, settings: DigestSettings): NoticeWindow {
  return { endsAt: computeWindowEnd(now, settings), sent: settings.after, gathered: 0 };
}

const DAY_MS = 86_400_000;

/** When a deadline is near: a quarter of the time is left, at most a day. */
export function computeNearTime(from: Date, deadline: Date): Date {
  const total = Math.max(0, deadline.getTime() - from.getTime());
  return new Date(deadline.getTime() - Math.min(total / 4, DAY_MS));
}

interface OptOuts {
  email: readonly string[];
  inApp: readonly string[];
}

/** Whether the user takes notices of the event on the channel: neither the event nor its type is switched off. */
export function isWanted(
  event: EventName,
  channel: keyof OptOuts,
  optOuts: OptOuts | undefined,
): boolean {
  const off = optOuts?.[channel] ?? [];
  return !off.includes(event) && !off.includes(EVENTS[event].type);
}

export const createDigestTitle = (event: NoticeEvent, count: number): string =>
  `${count} more: ${WAITING[event].digest}`;
