// The markers that scrubbing puts in the place of personal data.
import type { Json } from '@assay/json';
import type { DetectionType } from './rule.ts';

const TYPES = [
  'EMAIL',
  'IBAN',
  'CARD',
  'NATIONAL_ID',
  'PHONE',
  'SECRET',
  'IP_ADDRESS',
  'DATE_OF_BIRTH',
] as const satisfies readonly DetectionType[];

const MARKER = new RegExp(`\\[(?:${[...TYPES, 'REDACTED'].join('|')})\\]`);

/** Whether a text or a key anywhere in the value has a marker. */
export function hasMarker(value: Json): boolean {
  return MARKER.test(JSON.stringify(value));
}
