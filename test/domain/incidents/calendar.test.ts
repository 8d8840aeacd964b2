// The calendar of deadlines: read back by an independent reader of RFC 5545's lines.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calendarText } from '../../../src/domain/incidents/calendar.ts';

/** Lines with their continuations joined, as section 3.1 has it. */
const unfolded = (text: string): string[] => text.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
/** A text value read back, as section 3.3.11 has it. */
const value = (line: string): string =>
  line
    .slice(line.indexOf(':') + 1)
    .replaceAll(/\\([\\;,nN])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
const event = { uid: 'u', at: new Date(0), changedAt: new Date(0), summary: 's', description: 'd' };

test('without a deadline there is a calendar without events', () => {
  expect(calendarText([])).toBe(
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Assay//Incident deadlines//EN\r\nCALSCALE:GREGORIAN\r\n' +
      'METHOD:PUBLISH\r\nX-WR-CALNAME:Incident deadlines\r\nREFRESH-INTERVAL;VALUE=DURATION:PT15M\r\n' +
      'X-PUBLISHED-TTL:PT15M\r\nEND:VCALENDAR\r\n',
  );
});

test('a deadline is a moment in UTC, never later than it is', () => {
  const at = new Date('2026-10-25T00:59:59.999Z');
  expect(calendarText([{ ...event, at }])).toContain('\r\nDTSTART:20261025T005959Z\r\n');
});

test('no text breaks out of its line, and every line fits', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(
    fc.property(text, text, (summary, description) => {
      const made = calendarText([{ ...event, summary, description }]);
      for (const line of made.split('\r\n')) {
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        expect(line).toMatch(/^\P{Cc}*$/u);
      }
      const lines = unfolded(made);
      expect(lines.filter((line) => /^(BEGIN|END):/.test(line))).toEqual([
        'BEGIN:VCALENDAR',
        'BEGIN:VEVENT',
        'END:VEVENT',
        'END:VCALENDAR',
      ]);
    }),
  );
});

test.each([
  ['separators', 'a, b; c \\ d\\n'],
  ['lines', 'first\nsecond'],
  ['an injected event', 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT'],
  ['wide characters', '漢字😀'.repeat(60)],
])('%s are read back as they were written', (_, summary) => {
  const lines = unfolded(calendarText([{ ...event, summary }]));
  const shown = lines.filter((line) => line.startsWith('SUMMARY:')).map(value);
  expect(shown).toEqual([summary.replaceAll('\r\n', '\n')]);
});
