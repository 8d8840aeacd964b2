// Error texts for invalid values: they say what is expected, in every operation, and never in the validator's words.
import { expect, test as plain } from 'vitest';
import { z } from 'zod';
import { explainIssue, flattenIssue } from '../../../src/platform/inputs/explain-issue.ts';
import { from, boundedList, queryNumber } from '../../../src/http/declaration/views.ts';
import { examples } from '../examples/all.ts';
import { test } from '../fixtures.ts';
import { mounted } from '../mounted.ts';
import { listPlaces, replaceValue } from '../paths.ts';
import { createTenant } from '../tenant.ts';

function collectTexts(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: explainIssue });
  return (error?.issues ?? [])
    .flatMap(flattenIssue)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
}

const DATE_TIME = 'an ISO 8601 date and time with its time zone, such as 2026-03-01T10:00:00Z';
const shape = z.strictObject({ a: z.string(), b: z.int().optional() });
const kinds = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('one'), n: z.number() }),
  z.object({ kind: z.literal('two') }),
]);
const either = z.union([
  z.strictObject({ share: z.number().min(0.1) }),
  z.strictObject({ end: z.enum(['promote', 'rollback']) }),
]);

const table: [what: string, schema: z.ZodType, value: unknown, text: string][] = [
  ['a missing string', z.object({ a: z.string() }), {}, 'a: is missing: it must be a string'],
  ['another type', z.object({ a: z.string() }), { a: 1 }, 'a: must be a string'],
  ['null', z.string(), null, 'must be a string'],
  ['no number in a query', queryNumber(z.coerce.number()), 'x', 'must be a number'],
  ['a blank number in a query', queryNumber(z.coerce.number()), ' ', 'must be a number'],
  ['no boolean', z.boolean(), 'yes', 'must be true or false'],
  ['no array', z.array(z.string()), 'a', 'must be an array'],
  ['no object', z.object({}), [], 'must be an object'],
  ['no record', z.record(z.string(), z.string()), 'a', 'must be an object'],
  ['no null', z.null(), 1, 'must be null'],
  ['what has to be absent', z.never(), 1, 'must be left out'],
  ['a broken number', z.int(), 1.5, 'must be a whole number'],
  ['a small number', z.number().min(2), 1, 'must be at least 2'],
  ['a number at an open end', z.number().positive(), 0, 'must be greater than 0'],
  ['a large number', z.int().max(9), 10, 'must be at most 9'],
  ['a number at the upper open end', z.number().lt(1), 1, 'must be less than 1'],
  ['no multiple', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  [
    'an early date',
    z.date().min(new Date(0)),
    new Date(-1),
    'must be at least 1970-01-01T00:00:00.000Z',
  ],
  ['an empty string', z.string().min(1), '', 'must not be empty'],
  ['a short string', z.string().min(3), 'ab', 'must have at least 3 characters'],
  ['a long string', z.string().max(1), 'ab', 'must have at most 1 character'],
  ['a string of another length', z.string().length(2), 'a', 'must have exactly 2 characters'],
  ['an empty list', z.array(z.int()).min(1), [], 'must not be empty'],
  ['a long list', z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 elements'],
  ['a list of ours', boundedList(z.int(), 2), [1, 2, 3], 'must have at most 2 elements'],
  ['no choice', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  ['a missing choice', z.object({ e: z.enum(['a']) }), {}, 'e: is missing: it must be a'],
  ['another literal', z.literal(true), false, 'must be true'],
  ['another literal of several', z.literal([1, 2]), 3, 'must be one of 1, 2'],
  [
    'no flag in a query',
    z.stringbool({ truthy: ['true'], falsy: ['false'] }),
    'x',
    'must be one of true, false',
  ],
  ['no date-time', z.iso.datetime({ offset: true }), 'now', `must be ${DATE_TIME}`],
  ['no date', z.iso.date(), '1.3.2026', 'must be an ISO 8601 date, such as 2026-03-01'],
  ['neither of both', from, 'soon', `must be an ISO 8601 date, such as 2026-03-01 or ${DATE_TIME}`],
  ['no e-mail address', z.email(), 'a', 'must be an e-mail address, such as ada@example.com'],
  ['no URL', z.url(), 'a', 'must be a URL, such as https://example.com/path'],
  ['no UUID', z.uuid(), 'a', 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000'],
  ['no address', z.ipv4(), 'a', 'must be an IPv4 address, such as 192.0.2.1'],
  [
    'no id',
    z.string().regex(/^[0-9a-fA-F]{24}$/),
    'a',
    'must be an id: 24 hexadecimal digits, such as 65f000000000000000000001',
  ],
  [
    'no digest',
    z.string().regex(/^[0-9a-f]{64}$/),
    'a',
    'must be a SHA-256: 64 lower-case hexadecimal digits',
  ],
  ['another pattern', z.string().regex(/^a+$/), 'b', 'must match /^a+$/'],
  ['another beginning', z.string().startsWith('urn:'), 'b', 'must begin with urn:'],
  ['another end', z.string().endsWith('!'), 'b', 'must end with !'],
  ['without a part', z.string().includes('@'), 'b', 'must contain @'],
  ['an unknown member', shape, { a: '', c: 1 }, 'unknown member c; known are: a, b'],
  ['unknown members', shape, { a: '', c: 1, d: 1 }, 'unknown members c, d; known are: a, b'],
  [
    'a member with a bad name',
    z.record(z.string().max(1), z.int()),
    { ab: 1 },
    'ab: has a member whose name is not allowed: it must have at most 1 character',
  ],
  ['an unknown kind', kinds, { kind: 'three' }, 'kind: must be one of one, two'],
  ['a kind with a bad member', kinds, { kind: 'one', n: '' }, 'n: must be a number'],
  ['no alternative', z.union([z.string(), z.int()]), [], 'must be a string or a whole number'],
  [
    'a part of an alternative',
    z.union([z.null(), z.array(z.int().min(1))]),
    [0],
    '0: must be at least 1',
  ],
  ['a message of its own', z.string().min(9, 'is too short'), 'a', 'is too short'],
  ['a rule without a message', z.string().refine(() => false), 'a', 'is not allowed'],
];

plain.each(table)('%s', (_what, schema, value, text) => {
  expect(collectTexts(schema, value)).toEqual([text]);
});

plain('a text lists all alternatives that may be meant', () => {
  expect(collectTexts(either, {}).join()).toContain('share that is missing: it must be a number');
  expect(collectTexts(either, {}).join()).toContain(
    'end that is missing: it must be one of promote',
  );
});

plain('a text stays short, whatever was sent', () => {
  const names = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => ['x'.repeat(500) + n, 1]),
  );
  expect(collectTexts(shape, { a: '', ...names }).join().length).toBeLessThan(4000);
});

const WRONG = [
  undefined,
  null,
  '',
  'x',
  'x'.repeat(5000),
  -1,
  0.5,
  1e15,
  true,
  [],
  [null],
  {},
  { x: 1 },
];
/** The words of the validator. */
const FOREIGN =
  /[Ii]nvalid (input|option|string)|expected [a-z]|received|\bNaN\b|[Tt]oo (big|small)|[Uu]nrecognized|undefined/;

test('no text of any operation is the validator’s own', { tags: ['long'] }, async ({ harness }) => {
  const tenant = await createTenant(harness, 'texts');
  const found = new Set<string>();
  let checked = 0;
  for (const [operation, example] of Object.entries(examples)) {
    const { route } = mounted.get(operation) ?? {};
    const { body, form, query } = await example(tenant, tenant.owner.token);
    for (const [schema, inputs] of [
      [route?.body, body ?? form],
      [route?.query, query],
    ] as const) {
      if (!schema || !inputs) continue;
      for (const { path } of listPlaces(inputs))
        for (const wrong of WRONG)
          for (const text of collectTexts(schema, replaceValue(inputs, path, wrong))) {
            checked += 1;
            if (
              FOREIGN.test(text) ||
              text === 'is not allowed' ||
              text.endsWith(': is not allowed')
            )
              found.add(`${operation}: ${text}`);
          }
    }
  }
  expect([...found]).toEqual([]);
  expect(checked).toBeGreaterThan(1000);
});
