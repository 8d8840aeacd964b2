// Named lists that policies refer to, and the contents that each digest stands for.
import { Schema } from 'mongoose';
import { CREATED, defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

export const policyListSchema = defineCollection(
  'policy_lists',
  {
    name: { type: String, required: true },
    description: { type: String, default: '', maxlength: 500 },
    /** The workspace whose policies may refer to it; null: those of all workspaces. */
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    /** Names its contents. */
    digest: { type: String, required: true },
    /** Values, and the characters of their JSON text. */
    count: { type: Number, required: true },
    characters: { type: Number, required: true },
    changedBy: { type: Schema.Types.ObjectId, default: null },
  },
  { timestamps: true },
);
export interface PolicyListDocument extends DocumentOf<typeof policyListSchema> {}
policyListSchema.index({ organizationId: 1, name: 1 }, { name: 'name', unique: true });

export const policyListContentsSchema = defineCollection(
  'policy_list_contents',
  {
    digest: { type: String, required: true },
    /** The values as sorted canonical JSON, which the digest is made of. */
    values: { type: String, required: true },
  },
  { timestamps: CREATED },
);
/** Never changed, never removed, so that what judged by it can be judged again. */
export interface PolicyListContentsDocument extends DocumentOf<typeof policyListContentsSchema> {}
policyListContentsSchema.index({ organizationId: 1, digest: 1 }, { name: 'digest', unique: true });
