// The cursors of consumers, one for each organisation, and their dead letters.
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

export const cursorSchema = defineCollection(
  'cursors',
  {
    consumer: { type: String, required: true },
    /** Every entry up to here has had its effect. */
    sequence: { type: Number, required: true },
  },
  { versionKey: false },
);
export interface CursorDocument extends DocumentOf<typeof cursorSchema> {}
cursorSchema.index({ organizationId: 1, consumer: 1 }, { name: 'cursor', unique: true });

export const deadLetterSchema = defineCollection(
  'parked',
  {
    consumer: { type: String, required: true },
    sequence: { type: Number, required: true },
    /** The trace that the entry is about. */
    traceId: { type: String, default: null },
    /** Null: the trace was erased. */
    error: { type: String, default: null },
    at: { type: Date, required: true },
  },
  { versionKey: false },
);
/** An entry whose effect kept failing; the consumer has continued without it. */
export interface DeadLetterDocument extends DocumentOf<typeof deadLetterSchema> {}
deadLetterSchema.index(
  { organizationId: 1, consumer: 1, sequence: 1 },
  { name: 'parked', unique: true },
);
deadLetterSchema.index({ organizationId: 1, traceId: 1 }, { name: 'subject' });
