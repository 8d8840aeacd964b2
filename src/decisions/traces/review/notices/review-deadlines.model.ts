// The deadlines of held decisions that people are reminded of; a row goes with the verdict.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf } from '../../../../platform/mongo/collection.ts';

/** `near`: the reminder before the deadline is due next; `passed`: the one after it. */
export const DEADLINE_STAGES = ['near', 'passed'] as const;

export const reviewDeadlineSchema = defineCollection('review_deadlines', {
  /** The id of the review item. */
  _id: { type: Schema.Types.ObjectId, required: true },
  traceId: { type: String, required: true },
  stage: { type: String, enum: DEADLINE_STAGES, required: true },
  /** When the reminder of the stage is due. */
  dueAt: { type: Date, required: true },
  deadline: { type: Date, required: true },
});
export interface ReviewDeadlineDocument extends DocumentOf<typeof reviewDeadlineSchema> {}
reviewDeadlineSchema.index({ organizationId: 1, traceId: 1 }, { name: 'decision' });
reviewDeadlineSchema.index({ dueAt: 1 }, { name: 'due' });
