// Counts of a month's spans by organisation, dialect and outcome.
import { Schema, type Types } from 'mongoose';
import type { DialectName } from '../../domain/otlp/dialect.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export const SPAN_RESULTS = [
  'recorded',
  'repeated',
  'linked',
  'context',
  'unmapped',
  'rejected',
] as const;
export type SpanResult = (typeof SPAN_RESULTS)[number];

export interface SpanCountDocument extends Partial<Record<SpanResult, number>> {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** `YYYY-MM`. */
  month: string;
  dialect: DialectName;
  /** Of the recorded. */
  withoutArguments?: number;
}

const counts = Object.fromEntries(SPAN_RESULTS.map((result) => [result, Number]));

export const spanCountSchema = new Schema<SpanCountDocument>(
  { month: String, dialect: String, ...counts, withoutArguments: Number },
  { collection: 'span_counts', autoIndex: false, versionKey: false },
);
spanCountSchema.plugin(guardTenancy);
spanCountSchema.index({ organizationId: 1, month: 1, dialect: 1 }, { name: 'month', unique: true });
