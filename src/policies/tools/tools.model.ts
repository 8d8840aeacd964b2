// Tools that a workspace lists, and the catalogues that decisions name by their digests.
import { Schema } from 'mongoose';
import { CREATED, defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

export const listedToolSchema = defineCollection(
  'tools',
  {
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    /** The name as `action.names` writes it: by it a call is found. */
    key: { type: String, required: true },
    /** The name as it was given. */
    name: { type: String, required: true },
    description: { type: String, default: '', maxlength: 500 },
    /** The MCP servers of its entries. */
    servers: { type: [String], required: true },
    /** What it may be, as the JSON text of a list of `ToolEntry`: the database would change nested documents. */
    entries: { type: String, required: true },
    changedBy: { type: Schema.Types.ObjectId, default: null },
  },
  { timestamps: true },
);
export interface ListedToolDocument extends DocumentOf<typeof listedToolSchema> {}
listedToolSchema.index(
  { organizationId: 1, workspaceId: 1, key: 1 },
  { name: 'key', unique: true },
);

export const toolSetSchema = defineCollection(
  'tool_sets',
  {
    digest: { type: String, required: true },
    /** The lists of tools as JSON text. */
    lists: { type: String, required: true },
  },
  { timestamps: CREATED },
);
/** Never changed, never removed, so that what judged by it can be judged again. */
export interface ToolSetDocument extends DocumentOf<typeof toolSetSchema> {}
toolSetSchema.index({ organizationId: 1, digest: 1 }, { name: 'digest', unique: true });
