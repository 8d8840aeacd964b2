// The end of a deprecated interface: its last day is served to the end, in UTC.
import { expect, test } from 'vitest';
import {
  createDeprecationHeaders,
  formatDeprecationLink,
  isPast,
} from '../../src/domain/deprecation.ts';

test.each([
  ['2027-04-11T23:59:59.999Z', false],
  ['2027-04-12T00:00:00.000Z', false],
  ['2027-04-12T23:59:59.999Z', false],
  ['2027-04-13T00:00:00.000Z', true],
  ['2028-01-01T00:00:00.000Z', true],
])('at %s the day 2027-04-12 is past: %s', (now, past) => {
  expect(isPast('2027-04-12', new Date(now))).toBe(past);
});

test('the notice names the day and the guide', () => {
  expect(createDeprecationHeaders('2027-04-12', formatDeprecationLink('/guide'))).toEqual({
    Deprecation: 'true',
    Sunset: '2027-04-12',
    Link: '</guide>; rel="deprecation"',
  });
});
