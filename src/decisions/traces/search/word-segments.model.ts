// Word segments: blind words of rationale and triggering condition, for a run of decisions each (security.md).
import { Schema, type Types } from 'mongoose';
import type { WordSegment } from '../../../domain/search/word-segment.ts';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface WordSegmentDocument extends WordSegment {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Sequences of the first and the last decision of the segment. */
  from: number;
  to: number;
}

/** `words` is `Mixed`, since a declared list would cast its thousands of numbers one by one. */
export const wordSegmentSchema = new Schema<WordSegmentDocument>(
  { from: Number, to: Number, words: Schema.Types.Mixed, places: Buffer },
  { collection: 'word_segments', autoIndex: false, versionKey: false },
);
wordSegmentSchema.plugin(guardTenancy);
wordSegmentSchema.index({ organizationId: 1, from: 1 }, { name: 'run', unique: true });
wordSegmentSchema.index({ organizationId: 1, words: 1, from: -1 }, { name: 'words' });
