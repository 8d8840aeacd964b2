// The deadlines of held decisions that people are reminded of; a row goes with the verdict.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../../platform/mongo/tenancy.ts';

/** `near`: the reminder before the deadline is due next; `passed`: the one after it. */
export const DEADLINE_STAGES = ['near', 'passed'] as const;

export interface ReviewDeadlineDocument {
  /** The id of the review item. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  traceId: string;
  stage: (typeof DEADLINE_STAGES)[number];
  /** When the reminder of the stage is due. */
  dueAt: Date;
  deadline: Date;
}

export const reviewDeadlineSchema = new Schema<ReviewDeadlineDocument>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    traceId: { type: String, required: true },
    stage: { type: String, enum: DEADLINE_STAGES, required: true },
    dueAt: { type: Date, required: true },
    deadline: { type: Date, required: true },
  },
  { collection: 'review_deadlines', autoIndex: false },
);
reviewDeadlineSchema.plugin(guardTenancy);
reviewDeadlineSchema.index({ organizationId: 1, traceId: 1 }, { name: 'decision' });
reviewDeadlineSchema.index({ dueAt: 1 }, { name: 'due' });
