// Deadlines as an iCalendar document (RFC 5545), which calendars subscribe to.
import { foldLines, ICalCalendar, ICalEvent, ICalEventTransparency } from 'ical-generator';

/** A report that is due. */
export interface CalendarEvent {
  /** Stays the same at every fetch, so that a moved deadline moves its event. */
  uid: string;
  at: Date;
  /** When the incident was changed last. */
  changedAt: Date;
  summary: string;
  description: string;
}

/** The batch size: the library takes a third of a millisecond to fold the lines of one event. */
const EVENTS_AT_A_TIME = 20;
const REFRESH_SECONDS = 15 * 60;
const END = 'END:VCALENDAR';

/**
 * A calendar needs at least one component (section 3.6); this one also serves without events, and is never displayed.
 */
const TIME_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Etc/UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'TZNAME:UTC',
  'END:STANDARD',
  'END:VTIMEZONE',
  '',
].join('\r\n');

/** Renders the calendar in batches; `pause` is awaited after each. */
export async function formatCalendar(
  events: readonly CalendarEvent[],
  pause: () => Promise<void>,
): Promise<string> {
  const calendar = new ICalCalendar({
    prodId: { company: 'Assay', product: 'Incident deadlines', language: 'EN' },
    scale: 'GREGORIAN',
    name: 'Incident deadlines',
    ttl: REFRESH_SECONDS,
  });
  // The library would write its own time zone before the last properties, which the grammar forbids.
  const head = calendar.toString().slice(0, -END.length);
  const parts = [head, TIME_ZONE];
  for (let from = 0; from < events.length; from += EVENTS_AT_A_TIME) {
    for (const event of events.slice(from, from + EVENTS_AT_A_TIME))
      parts.push(renderEvent(event, calendar));
    await pause();
  }
  return [...parts, END, '\r\n'].join('');
}

/** Fractions of a second are cut off, so an event is never later than its deadline. */
function renderEvent(event: CalendarEvent, calendar: ICalCalendar): string {
  const { uid, at, changedAt, summary, description } = event;
  const data = {
    id: uid,
    start: at,
    stamp: changedAt,
    summary: toPrintable(summary),
    description: toPrintable(description),
    transparency: ICalEventTransparency.TRANSPARENT,
  };
  return foldLines(new ICalEvent(data, calendar).toString());
}

/** Replaces characters that no line may hold by spaces; the library escapes the rest. */
function toPrintable(text: string): string {
  return text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll(/[^\P{Cc}\n]|\p{Cs}/gu, ' ');
}
