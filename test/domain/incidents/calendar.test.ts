// The calendar of deadlines, parsed by an independent reader of RFC 5545.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CalendarEvent,
  formatCalendar as formatInBatches,
} from '../../../src/domain/incidents/calendar.ts';
import { yieldToEventLoop } from '../../../src/platform/concurrency/event-loop.ts';

const formatCalendar = (events: readonly CalendarEvent[]): Promise<string> =>
  formatInBatches(events, yieldToEventLoop);

/** Unfolds lines (section 3.1). */
const unfolded = (text: string): string[] => text.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
/** Unescapes a text value (section 3.3.11). */
const value = (line: string): string =>
  line
    .slice(line.indexOf(':') + 1)
    .replaceAll(/\\([\\;,nN])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
const event = { uid: 'u', at: new Date(0), changedAt: new Date(0), summary: 's', description: 'd' };

/** Parses lines by sections 3.4 and 3.6: properties, then closed components; returns the names of the outer ones. */
function componentsOf(text: string): string[] {
  const [begin, ...lines] = unfolded(text);
  expect([begin, ...lines.splice(-2)]).toEqual(['BEGIN:VCALENDAR', 'END:VCALENDAR', '']);
  const open: string[] = [];
  const found: string[] = [];
  for (const line of lines) {
    const [, verb, name = ''] = /^(BEGIN|END):(.*)$/.exec(line) ?? [];
    if (verb === 'BEGIN' && open.length === 0) found.push(name);
    if (verb === 'BEGIN') open.push(name);
    else if (verb === 'END') expect(open.pop()).toBe(name);
    else {
      expect(line).toMatch(/^[A-Z-]+(;[A-Z]+=[^:]+)*:/);
      if (open.length === 0) expect(found, `${line} stands before components`).toEqual([]);
    }
  }
  expect(open).toEqual([]);
  return found;
}

test('a calendar without deadlines is valid: it has one component and no event', async () => {
  const text = await formatCalendar([]);
  expect(componentsOf(text)).toEqual(['VTIMEZONE']);
  const lines = unfolded(text);
  for (const line of [
    'VERSION:2.0',
    'PRODID:-//Assay//Incident deadlines//EN',
    'CALSCALE:GREGORIAN',
    'X-WR-CALNAME:Incident deadlines',
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'TZID:Etc/UTC',
    'TZOFFSETFROM:+0000',
    'TZOFFSETTO:+0000',
  ])
    expect(lines.filter((found) => found === line)).toHaveLength(1);
  // A scheduling method would demand an event with an organizer (RFC 5546, section 3.2.1).
  expect(text).not.toContain('METHOD');
});

test('an event has every required property of section 3.6.1 once', async () => {
  const text = await formatCalendar([event, { ...event, uid: 'v' }]);
  expect(componentsOf(text)).toEqual(['VTIMEZONE', 'VEVENT', 'VEVENT']);
  const [, first = ''] = text.split('BEGIN:VEVENT\r\n');
  const names = first.split('\r\n').map((line) => line.split(/[:;]/, 1)[0]);
  for (const name of ['UID', 'DTSTAMP', 'DTSTART', 'SUMMARY', 'DESCRIPTION', 'TRANSP'])
    expect(names.filter((found) => found === name)).toEqual([name]);
});

test('rendering many events yields the event loop', async () => {
  const text = 'Łódź, leak of prompts; '.repeat(9);
  const many = Array.from({ length: 300 }, (_, i) =>
    Object.assign({}, event, { uid: `${i}`, summary: text, description: text }),
  );
  let others = 0;
  const made = formatCalendar(many);
  const wait = (): void => {
    others += 1;
    waiting = setImmediate(wait);
  };
  let waiting = setImmediate(wait);
  expect(componentsOf(await made)).toHaveLength(301);
  clearImmediate(waiting);
  expect(others).toBeGreaterThan(10);
});

test('an event is in UTC and never later than its deadline', async () => {
  const at = new Date('2026-10-25T00:59:59.999Z');
  expect(await formatCalendar([{ ...event, at }])).toContain('\r\nDTSTART:20261025T005959Z\r\n');
});

test('no text breaks out of its line, and every line fits', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(text, text, async (summary, description) => {
      const made = await formatCalendar([{ ...event, summary, description }]);
      for (const line of made.split('\r\n')) {
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        expect(line).toMatch(/^\P{Cc}*$/u);
      }
      expect(componentsOf(made)).toEqual(['VTIMEZONE', 'VEVENT']);
    }),
  );
});

test.each([
  ['separators', 'a, b; c \\ d\\n'],
  ['lines', 'first\nsecond'],
  ['an injected event', 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT'],
  ['wide characters', '漢字😀'.repeat(60)],
])('%s are read back as they were written', async (_, summary) => {
  const lines = unfolded(await formatCalendar([{ ...event, summary }]));
  const shown = lines.filter((line) => line.startsWith('SUMMARY:')).map(value);
  expect(shown).toEqual([summary.replaceAll('\r\n', '\n')]);
});
