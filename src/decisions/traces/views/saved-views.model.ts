// Saved views: names for searches of the console, each of one member or of a workspace.
import { Schema } from 'mongoose';
import { CREATED, defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const savedViewSchema = defineCollection(
  'saved_views',
  {
    /** Whose it is: a member, or the workspace where it is shared. */
    ownerId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    shared: { type: Boolean, required: true, immutable: true },
    name: { type: String, required: true },
    /** May be empty: all decisions. */
    query: { type: String, default: '' },
    createdBy: { type: Schema.Types.ObjectId, required: true },
  },
  { timestamps: CREATED, versionKey: false },
);
export interface SavedViewDocument extends DocumentOf<typeof savedViewSchema> {}
savedViewSchema.index({ organizationId: 1, ownerId: 1, name: 1 }, { name: 'owner', unique: true });
