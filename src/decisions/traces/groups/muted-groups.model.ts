// Groups of decisions that people do not want to hear of for a while.
import { Schema } from 'mongoose';
import { defineCollection } from '../../../platform/mongo/collection.ts';

export const mutedGroupSchema = defineCollection('muted_groups', {
  /** The mark of its decisions. */
  group: { type: String, required: true },
  until: { type: Date, required: true },
  by: { type: Schema.Types.ObjectId, required: true },
});
mutedGroupSchema.index({ organizationId: 1, group: 1 }, { name: 'group', unique: true });
mutedGroupSchema.index({ until: 1 }, { name: 'ended', expireAfterSeconds: 0 });
