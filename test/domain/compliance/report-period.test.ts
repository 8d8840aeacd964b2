// When the next report is due, at the edges of weeks, months and years.
import { expect, test } from 'vitest';
import {
  computeNextReport,
  type ReportPeriod,
} from '../../../src/domain/compliance/report-period.ts';

test.each<[ReportPeriod, string, string]>([
  ['week', '2026-11-29T23:59:59.999Z', '2026-11-30T06:00:00.000Z'],
  ['week', '2026-11-30T05:59:59.999Z', '2026-11-30T06:00:00.000Z'],
  ['week', '2026-11-30T06:00:00.000Z', '2026-12-07T06:00:00.000Z'],
  ['week', '2026-12-31T12:00:00.000Z', '2027-01-04T06:00:00.000Z'],
  ['month', '2026-12-01T05:59:59.999Z', '2026-12-01T06:00:00.000Z'],
  ['month', '2026-12-01T06:00:00.000Z', '2027-01-01T06:00:00.000Z'],
  ['month', '2027-01-31T12:00:00.000Z', '2027-02-01T06:00:00.000Z'],
])('every %s, after %s: %s', (every, now, next) => {
  expect(computeNextReport(every, new Date(now)).toISOString()).toBe(next);
});
