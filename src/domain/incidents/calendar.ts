// Deadlines as an iCalendar document (RFC 5545), which calendars subscribe to.

/** A report that is due. */
export interface CalendarEvent {
  /** The same at every fetch, so that a moved deadline moves its event. */
  uid: string;
  at: Date;
  /** When the incident was changed last. */
  changedAt: Date;
  summary: string;
  description: string;
}

const LINE_OCTETS = 75;
const HEAD = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Assay//Incident deadlines//EN',
  'CALSCALE:GREGORIAN',
  'METHOD:PUBLISH',
  'X-WR-CALNAME:Incident deadlines',
  'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
  'X-PUBLISHED-TTL:PT15M',
];

export function calendarText(events: readonly CalendarEvent[]): string {
  const lines = [...HEAD, ...events.flatMap(eventLines), 'END:VCALENDAR'];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function eventLines({ uid, at, changedAt, summary, description }: CalendarEvent): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${escaped(uid)}`,
    `DTSTAMP:${utc(changedAt)}`,
    `DTSTART:${utc(at)}`,
    `SUMMARY:${escaped(summary)}`,
    `DESCRIPTION:${escaped(description)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20260131T100000Z`: a deadline within a second counts as at its beginning, which is never too late. */
function utc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** A text value: what separates is escaped, what no line may hold is a space. */
function escaped(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(/[^\P{Cc}\n]|\p{Cs}/gu, ' ')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** Lines of at most 75 octets, each after the first begun with a blank; no character is cut. */
function folded(line: string): string {
  if (line.length * 3 <= LINE_OCTETS) return line;
  let [text, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_OCTETS) [text, octets] = [`${text}\r\n `, 1];
    text += character;
    octets += size;
  }
  return text;
}
