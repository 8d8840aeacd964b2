// Schema versions: the choice of a version, and its retirement (document 1, section 9).
import { describe, expect, test } from 'vitest';
import {
  chooseVersion,
  findDeprecationHeaders,
  SCHEMA_VERSIONS,
  type SchemaVersion,
} from '../../../src/domain/record/schema-versions.ts';

const [first] = SCHEMA_VERSIONS;
if (!first) throw new Error('no version is registered');
const now = new Date('2026-06-01T12:00:00Z');
const registered: SchemaVersion[] = [
  { ...first, version: '2025-01-01', sunset: '2026-06-01' },
  { ...first, version: '2025-06-01', sunset: '2026-09-30' },
  { ...first, version: '2026-04-11', sunset: null },
];

test('the only registered version is 2026-04-11, and it is not deprecated', () => {
  expect(SCHEMA_VERSIONS.map(({ version, sunset }) => [version, sunset])).toEqual([
    ['2026-04-11', null],
  ]);
});

test.each([
  ['neither names one', [undefined, undefined], '2026-04-11'],
  ['the header does', ['2025-06-01', undefined], '2025-06-01'],
  ['the body does', [undefined, '2025-06-01'], '2025-06-01'],
  ['both agree', ['2025-06-01', '2025-06-01'], '2025-06-01'],
])('%s: that version applies', (_when, named, version) => {
  expect(chooseVersion(named, now, registered)).toMatchObject({
    kind: 'chosen',
    version: { version },
  });
});

test.each([
  ['unknown in the header', ['2020-01-01', undefined], { kind: 'unknown', named: '2020-01-01' }],
  ['unknown in the body', ['2026-04-11', 'v1'], { kind: 'unknown', named: 'v1' }],
  ['an empty name', [undefined, ''], { kind: 'unknown', named: '' }],
  [
    'a member of every object',
    ['constructor', undefined],
    { kind: 'unknown', named: 'constructor' },
  ],
  ['two known ones', ['2025-06-01', '2026-04-11'], { kind: 'contradictory' }],
])('%s: refused', (_when, named, choice) => {
  expect(chooseVersion(named, now, registered)).toEqual(choice);
});

describe('a deprecated version', () => {
  test('is accepted until the end of its last day', () => {
    const at = (time: string) => chooseVersion(['2025-01-01'], new Date(time), registered).kind;
    expect(at('2026-06-01T23:59:59.999Z')).toBe('chosen');
    expect(at('2026-06-02T00:00:00.000Z')).toBe('sunset');
  });

  test('is announced in the headers of every answer under it', () => {
    expect(findDeprecationHeaders('2025-06-01', registered)).toEqual({
      Deprecation: 'true',
      Sunset: '2026-09-30',
      Link: expect.stringMatching(/^<.+>; rel="deprecation"$/) as string,
    });
    expect(findDeprecationHeaders('2026-04-11', registered)).toEqual({});
    expect(findDeprecationHeaders('2020-01-01', registered)).toEqual({});
  });
});
