// The work of scrubbing: ordinary decisions never use it up, and values that need too much are stored redacted.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import { createScrubber } from '@assay/scrub';
import {
  type ScrubbedMembers,
  scrubMembers,
} from '../../../src/decisions/traces/scrubbing/scrub-members.ts';

const scrubber = createScrubber({ nationalIds: true, extended: true });
const scrubbers = { scrubber, versionScrubber: scrubber };
const every = [
  ...['CARD', 'DATE_OF_BIRTH', 'EMAIL', 'IBAN', 'IP_ADDRESS', 'NATIONAL_ID', 'PHONE', 'SECRET'],
];
const scrubbed = (decision: JsonObject, by = scrubbers): ScrubbedMembers =>
  scrubMembers(decision, by);
const usedUp = (): Work => new Work(0);
const filled = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Texts that resemble personal data: each needs close checks, mostly in vain. */
const hostile = [
  '44051401359 ',
  '0049 ',
  '+4917112345678',
  '+1 2 3 4 5 6 7 8 ',
  '0171 1234567 ',
  '0123-456789 ',
  '4006381333931 ',
  '1 ',
  'ssn 12345678 ',
];

describe('the result when the work is used up', () => {
  test.each<[given: Json, scrubbed: Json]>([
    ['call 555', '[REDACTED]'],
    ['jane@example.com', '[REDACTED]'],
    ['漢字', '[REDACTED]'],
    ['line\\nline', '[REDACTED]'],
    ['approve', 'approve'],
    ['', ''],
    [12345678, '[REDACTED]'],
    [-12345678, '[REDACTED]'],
    [1234567, 1234567],
    [0.25, 0.25],
    [true, true],
    [null, null],
    [
      { prompt: 'refund 7', ssn: '123456789', tool: 'pay' },
      { prompt: '[REDACTED]', ssn: '[REDACTED]', tool: 'pay' },
    ],
    [
      { 'jane@x.org': 1, 'joe@x.org': 2, name: [3, 'a1'] },
      { '[REDACTED]': 1, '[REDACTED] (2)': 2, name: [3, '[REDACTED]'] },
    ],
  ])('of %j is %j, with every type', (given, scrubbed) => {
    const { value, detections } = scrubber.scrubValue(given, usedUp());
    expect(value).toEqual(scrubbed);
    expect(detections).toEqual(every);
  });

  test('of a text alone is the same', () => {
    expect(scrubber.scrubString('call 555', usedUp())).toEqual({
      text: '[REDACTED]',
      detections: every,
    });
  });
});

describe('a decision', () => {
  test.each(hostile)('full of %j is cut at the same place each time', (unit) => {
    const decision: JsonObject = {
      inputContext: { prompt: filled(unit, 50_000), context: filled(unit, 100_000) },
      metadata: { note: filled(unit, 50_000), region: 'eu' },
      timestamp: '2026-03-04T10:00:00Z',
    };
    const { members, types, changed, isComplete, outputTypes } = scrubbed(decision);
    expect({ types, isComplete, outputTypes }).toEqual({
      types: every,
      isComplete: false,
      outputTypes: [],
    });
    expect(members['metadata']).toEqual({ note: '[REDACTED]', region: 'eu' });
    expect(members['timestamp']).toBe('2026-03-04T10:00:00Z');
    expect(changed).toContain('metadata/note');
    const again = createScrubber({ nationalIds: true, extended: true });
    const other = scrubbed(decision, { scrubber: again, versionScrubber: again });
    expect(other.members).toEqual(members);
  });

  test('gets all its markers', () => {
    const { value } = scrubber.scrubValue('a@b.co '.repeat(10_000), new Work(Infinity));
    expect(value).toBe('[EMAIL] '.repeat(10_000));
  });

  test('has one budget for all its members', () => {
    const work = new Work(workLimits.scrubbing);
    scrubber.scrubValue(filled('44051401359 ', 50_000), work);
    expect(work.left).toBe(0);
    expect(scrubber.scrubValue({ note: 'a1' }, work).value).toEqual({ note: '[REDACTED]' });
  });
});

/** Prose of this length, no two numbers of which are equal. */
function proseOf(length: number): string {
  let text = '';
  for (let i = 1000; text.length < length; i += 7)
    text +=
      `Dear team, order ${i}-2210 of 12 items (ref 2025061${i}, $1,${i % 1000}.50) left on 2024-05-24 at 10:11; call +49 171 123${i} ` +
      `or write to jane${i}@example.com before page ${i} is closed. The customer waits, and so does the depot in Hamburg. `;
  return text.slice(0, length);
}

/** The steps that scrubbing a value takes, as a share of what it may take. */
function shareOf(value: Json): number {
  const work = new Work(workLimits.scrubbing);
  scrubber.scrubValue(value, work);
  return 1 - work.left / workLimits.scrubbing;
}

describe('ordinary decisions stay far below the limit', () => {
  const row = {
    id: 12345678,
    price: 12.5,
    at: '2024-05-24T10:11:12Z',
    name: 'Item nine',
    ok: true,
  };
  test.each<[name: string, value: Json, share: number]>([
    ['prose of 50,000 characters', proseOf(50_000), 0.8],
    ['prose in Chinese', filled('订单号为4711，请在2024年5月24日前发货。', 50_000), 0.5],
    ['100 KB of rows', Array.from({ length: 1_200 }, () => row), 0.5],
    ['100 KB of rows as JSON text', filled(JSON.stringify([row]), 100_000), 0.5],
    [
      'a list of telephone numbers',
      Array.from({ length: 500 }, (_, i) => `+49 171 ${1234567 + i}`),
      0.5,
    ],
    [
      'a list of article numbers',
      Array.from({ length: 100 }, (_, i) => `40063813${33931 + i}`),
      0.5,
    ],
  ])('%s', (_name, value, share) => {
    expect(shareOf(value)).toBeLessThan(share);
  });

  test('and so does each of the samples', () => {
    const decisions = readFileSync('samples/decisions.ndjson', 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    expect(decisions.length).toBeGreaterThan(10);
    expect(Math.max(...decisions.map(shareOf))).toBeLessThan(0.05);
  });
});
