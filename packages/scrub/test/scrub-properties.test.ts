// Properties of scrubbing: the inspection hides no finding, it is idempotent, pointers are exact, and time is linear.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '@assay/json';
import { createScrubber, selectRules, createRuleScrubber } from '../src/scrubber.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

/** The features of a text that every rule looks at. */
const EVERY_FEATURE = ~0;
const options = { nationalIds: true, extended: true };
const gated = createScrubber(options);
const plain = createRuleScrubber(
  selectRules(options).map((rule) => ({ ...rule, needs: EVERY_FEATURE })),
  'plain',
);

/** Pieces that are personal data, almost are, or separate them. */
const pieces = [
  ...[
    'jane@example.com',
    'a%40b.co',
    'DE89370400440532013000',
    'GB82 WEST 1234 5698 7654 32',
    '4111 1111 1111 1111',
    '378282246310005',
    '5555',
  ],
  ...[
    '123-45-6789',
    '12345678Z',
    '44051401359',
    'RCCMNL83S18D969H',
    'ABCPE1234F',
    '131052-308T',
    'X-1234567-L',
    'AB 12 34 56 C',
    '111.444.777-35',
    'ssn ',
    'BSN: ',
    'national id ',
    '123456782',
    'A1234567',
  ],
  ...[
    '+49 171 1234567',
    '(555) 123-4567',
    '06 12 34 56 78',
    'phone ',
    'tel:',
    '0049',
    '12345678',
    '10.0.0.1',
    'fe80::1',
    '2001:db8:0:0:0:0:2:1',
    '::',
    '1:2:3',
  ],
  ...[
    'dob ',
    'born on ',
    '1990-10-25',
    '25 Oct 1990',
    '1/1/90',
    'password: ',
    'token=',
    'hunter22',
    'sk-abcdefghij1234567',
    'eyJhbGciOi.',
    'eyJzdWIiOi1.x',
    'Bearer ',
    '://u:p4@',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    '\\u0040',
    '\\n',
    '\\',
    '\\\\',
    '"',
    '"card": ',
    ',',
    '}',
    '\u200b',
    '４１１１',
    '٤',
    '\u2011',
    '😀',
    'é',
    '—',
  ],
  ...[
    '',
    ' ',
    '.',
    '-',
    ':',
    '/',
    '(',
    ')',
    '+',
    '_',
    '[',
    ']',
    '0',
    '1',
    '7',
    'x',
    'Z',
    'is ',
    '2024-05-24',
    'T19:18:07',
    'HAT072',
    '1715627887123',
    '[EMAIL]',
    '[REDACTED]',
  ],
] as const;
const text = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...pieces) }, fc.string({ maxLength: 4 })),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const key = fc.oneof(
  text,
  fc.constantFrom('ssn', 'homePhone', 'dob', 'api_key', 'name', 'a/b', '~', '0'),
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer({ min: -1e16, max: 1e16 }).map(Math.trunc),
    fc.constantFrom(4111111111111111, 5551234567, true, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));
const seeds = { numRuns: chooseRuns(300, 1_000) };

function at(value: Json, pointer: string): Json | undefined {
  let node: Json | undefined = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    node =
      node !== null && typeof node === 'object'
        ? (node as { [key: string]: Json })[name]
        : undefined;
  }
  return node;
}

describe('scrubbing', () => {
  test('is the same with and without inspection', () => {
    fc.assert(
      fc.property(
        text,
        (sample) => void expect(gated.scrubString(sample)).toEqual(plain.scrubString(sample)),
      ),
      seeds,
    );
    fc.assert(
      fc.property(
        value,
        (sample) => void expect(gated.scrubValue(sample)).toEqual(plain.scrubValue(sample)),
      ),
      seeds,
    );
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(value, (sample) => {
        const once = gated.scrubValue(sample).value;
        expect(gated.scrubValue(once)).toEqual({ value: once, changed: [], detections: [] });
        expect(gated.scrubValue(once).value).toBe(once);
      }),
      seeds,
    );
  });

  test('names exactly what changed, and returns a clean value itself', () => {
    fc.assert(
      fc.property(value, (sample) => {
        const { value: result, changed, detections } = gated.scrubValue(sample);
        expect(changed.length === 0).toBe(result === sample);
        expect(changed.length === 0).toBe(
          detections.length === 0 && JSON.stringify(result) === JSON.stringify(sample),
        );
        expect(new Set(changed).size).toBe(changed.length);
        for (const pointer of changed) {
          const node = at(result, pointer);
          const texts = node !== null && typeof node === 'object' ? Object.keys(node) : [node];
          expect(texts.some((candidate) => /\[[A-Z_]+\]/.test(String(candidate)))).toBe(true);
        }
      }),
      seeds,
    );
  });

  test('keeps JSON text valid, with findings in its strings and after its keys', () => {
    const isPersonal = (name: string, value: Json): boolean =>
      gated.scrubString(JSON.stringify({ [name]: value })).detections.length > 0;
    const leaf = fc.oneof(
      fc.constantFrom<Json>(
        'jane@example.com',
        '4111 1111 1111 1111',
        'x\n123-45-6789',
        4111111111111111,
        'née 1990-10-25',
        12,
        '"+49 171 1234567"',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'card', 'phone', 'text'), leaf),
        fc.nat(2),
        (members, depth) => {
          let json = JSON.stringify(members);
          for (let level = 0; level < depth; level++) json = JSON.stringify({ inner: json });
          let result = gated.scrubString(json).text;
          for (let level = 0; level < depth; level++) {
            const outer = JSON.parse(result) as { inner: string };
            expect(Object.keys(outer)).toEqual(['inner']);
            result = outer.inner;
          }
          const scrubbed = JSON.parse(result) as Record<string, Json>;
          expect(Object.keys(scrubbed)).toEqual(Object.keys(members));
          for (const [name, value] of Object.entries(members))
            if (!isPersonal(name, value)) expect(scrubbed[name]).toEqual(value);
        },
      ),
      seeds,
    );
  });

  test('sees through invisible characters and foreign digits anywhere', () => {
    const disguise = (sample: string, digits: number, invisible: string): string =>
      [...sample]
        .map((character) =>
          /\d/.test(character) ? String.fromCodePoint(digits + Number(character)) : character,
        )
        .join(invisible);
    fc.assert(
      fc.property(
        fc.constantFrom('4111111111111111', '123-45-6789', 'jane1@example.com', '+49 171 1234567'),
        fc.constantFrom(0x30, 0xff10, 0x660, 0x1d7d8),
        fc.constantFrom('', '\u200b', '\u2060', '\ufe0f'),
        (sample, digits, invisible) => {
          expect(gated.scrubString(disguise(sample, digits, invisible)).text).toBe(
            gated.scrubString(sample).text,
          );
        },
      ),
    );
  });

  test('a chain of findings that expose each other ends in one marker', () => {
    const result = gated.scrubString('a@b.co'.repeat(2)).text;
    expect(gated.scrubString(result).text).toBe(result);
  });

  /** Repeated to fifty thousand characters, on which quadratic work takes seconds. */
  const long = [
    '@',
    'a@',
    'a.',
    'a-',
    '4111 ',
    '+1 2 3 4 5 6 7 8 ',
    'ssn 1234567 ',
    'token=',
    '-----BEGIN PRIVATE KEY-----',
    'eyJ',
    'GB82 ',
    '1.2.3.',
    '::1',
    'phone is ',
    'a',
    '1',
    '\\',
    '\\u0031',
    '\u200b1',
    '漢',
    '123-45-6789 ',
    '+4917112345678',
    '0171 1234567 ',
    'born on ',
    '12345678901 ',
    'https://a:b',
    '00 1 2 3 4 5 6 7 8 9 ',
  ];
  // Time is asserted in the long run only: `npm test` counts steps instead (test/domain/cost).
  test.runIf(chooseRuns(0, 1) === 1).each(long)('takes %j, repeated, in linear time', (unit) => {
    const effort = (length: number): number => {
      const sample = unit.repeat(Math.ceil(length / unit.length));
      const start = process.cpuUsage().user;
      gated.scrubString(sample);
      return process.cpuUsage().user - start;
    };
    effort(5_000);
    expect(effort(50_000)).toBeLessThan(40 * Math.max(effort(5_000), 3_000));
  });
});
