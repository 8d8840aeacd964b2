// Points in time: relative to now in the text, exact in a tooltip; one timer serves all of them.
import { Text } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const toMinute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

const listeners = new Set<() => void>();
let now = Date.now();
setInterval(() => {
  now = Date.now();
  for (const notify of listeners) notify();
}, 1000);

function subscribeToClock(notify: () => void): () => void {
  listeners.add(notify);
  return () => void listeners.delete(notify);
}

/** The current time in milliseconds, by the second. */
export const useNow = (): number => useSyncExternalStore(subscribeToClock, () => now);

export function formatRelative(at: number, from: number): string {
  const distance = at - from;
  if (Math.abs(distance) < 1000) return 'now';
  const [unit, size] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['second', 1000];
  return relative.format(Math.trunc(distance / size), unit);
}

/** A line breaks between the date and the time, if it must. */
const keepTogether = (text: string): string => text.replaceAll(/(?<!\d{4},)\s/g, '\u00A0');

export const formatExact = (at: string | number): string =>
  keepTogether(exact.format(new Date(at)));

/** As people write a deadline: without seconds. */
export const formatToMinute = (at: string | number): string =>
  keepTogether(toMinute.format(new Date(at)));

const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z(?![\w-])/g;

/** A text of the service with its times as people read them. */
export const showTimes = (text: string): string =>
  text.replaceAll(ISO, (at) => (Number.isNaN(Date.parse(at)) ? at : formatToMinute(at)));

/** The time alone where it was today. */
export function formatSince(at: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday ? keepTogether(timeOfDay.format(new Date(at))) : formatToMinute(at);
}

export function Ago({ at, isLarge = false }: { at: string; isLarge?: boolean }): ReactNode {
  // Drawn again when its words change, not by the second: a page may hold hundreds.
  const text = useSyncExternalStore(subscribeToClock, () =>
    formatRelative(new Date(at).getTime(), now),
  );
  return (
    <Text
      inherit={isLarge}
      size="sm"
      c={isLarge ? undefined : 'dimmed'}
      className="numbers"
      component="time"
      // The browser's own tooltip: a component for each row of a long list would be drawn late.
      title={formatExact(at)}
      {...{ dateTime: at }}
    >
      {text}
    </Text>
  );
}

function chooseColour(left: number): string {
  if (left <= 0) return 'var(--assay-blocked)';
  return left < 15 * 60_000 ? 'var(--assay-held)' : 'dimmed';
}

/** Counts down to a deadline, and says when it has passed. */
export function Countdown({ to, isLarge = false }: { to: string; isLarge?: boolean }): ReactNode {
  const left = new Date(to).getTime() - useNow();
  const isLate = left <= 0;
  const isSoon = left < 15 * 60_000;
  return (
    <Text
      inherit={isLarge}
      size="sm"
      c={chooseColour(left)}
      fw={isLarge || !isSoon ? undefined : 600}
      className="numbers"
      component="time"
      title={`Deadline ${formatExact(to)}`}
      {...{ dateTime: to }}
    >
      {isLate ? `${formatDuration(-left)} late` : `${formatDuration(left)} left`}
    </Text>
  );
}

/** A deadline in lists, by the minute; drawn again when its words change. */
export function Due({ at }: { at: string }): ReactNode {
  const text = useSyncExternalStore(subscribeToClock, () => {
    const left = new Date(at).getTime() - now;
    const minutes = formatDuration(Math.max(60_000, Math.abs(left))).replace(/ \d+ s$/, '');
    return left <= 0 ? `${minutes} late` : `${minutes} left`;
  });
  return (
    <Text
      size="sm"
      c={chooseColour(new Date(at).getTime() - now)}
      className="numbers"
      component="time"
      title={`Deadline ${formatExact(at)}`}
      {...{ dateTime: at }}
    >
      {text}
    </Text>
  );
}

export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3600)];
  const minutes = Math.floor((seconds % 3600) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${seconds} s`;
}
