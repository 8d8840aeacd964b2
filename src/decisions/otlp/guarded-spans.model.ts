// The span of each guarding decision: the first one with its action. Any other is an observed call of its own.
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const guardedSpanSchema = defineCollection(
  'asked_spans',
  {
    traceId: typeAs<string>(String),
    /** The key of the span, which is the same in every export. */
    span: typeAs<string>(String),
  },
  { versionKey: false },
);
export interface GuardedSpanDocument extends DocumentOf<typeof guardedSpanSchema> {}
guardedSpanSchema.index({ organizationId: 1, traceId: 1 }, { name: 'once', unique: true });
