// Segments of digests, for a run of decisions each: blind words of their texts, and blind terms of their facets (security.md).
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

/** `words` is `Mixed`, since a declared list would cast its thousands of numbers one by one. */
const members = {
  /** Sequences of the first and the last decision of the segment. */
  from: typeAs<number>(Number),
  to: typeAs<number>(Number),
  /** Each digest once. */
  words: typeAs<number[]>(Schema.Types.Mixed),
  /** The positions of the words, as `WordSegment` says. */
  places: typeAs<Buffer>(Buffer),
};
export const wordSegmentSchema = defineCollection('word_segments', members, { versionKey: false });
/** Apart from the words: they are a tenth as large, and each look-up reads them whole. */
export const facetSegmentSchema = defineCollection('facet_segments', members, {
  versionKey: false,
});
export interface WordSegmentDocument extends DocumentOf<typeof wordSegmentSchema> {}
for (const schema of [wordSegmentSchema, facetSegmentSchema]) {
  schema.index({ organizationId: 1, from: 1 }, { name: 'run', unique: true });
  schema.index({ organizationId: 1, words: 1, from: -1 }, { name: 'words' });
}
