// Counts of a month's spans by organisation, dialect and outcome.
import type { DialectName } from '@assay/otlp-decisions';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const SPAN_RESULTS = [
  'recorded',
  'repeated',
  'linked',
  'context',
  'unmapped',
  'rejected',
] as const;
export type SpanResult = (typeof SPAN_RESULTS)[number];

const counts = Object.fromEntries(SPAN_RESULTS.map((result) => [result, Number])) as Record<
  SpanResult,
  NumberConstructor
>;

export const spanCountSchema = defineCollection(
  'span_counts',
  {
    /** `YYYY-MM`. */
    month: typeAs<string>(String),
    dialect: typeAs<DialectName>(String),
    ...counts,
    /** Of the recorded. */
    withoutArguments: Number,
  },
  { versionKey: false },
);
export interface SpanCountDocument extends DocumentOf<typeof spanCountSchema> {}
spanCountSchema.index({ organizationId: 1, month: 1, dialect: 1 }, { name: 'month', unique: true });
