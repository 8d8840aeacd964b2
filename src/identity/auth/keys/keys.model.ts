// Workspace API keys: only the SHA-256 of the key is stored, and answers show its prefix.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

/** `feedback`: what the key sends counts as the verdict of a person, and the key ingests no decisions. */
export const KEY_CAPABILITIES = ['feedback'] as const;
export type KeyCapability = (typeof KEY_CAPABILITIES)[number];

export const workspaceKeySchema = defineCollection(
  'workspace_keys',
  {
    name: { type: String, required: true, trim: true, maxlength: 100 },
    prefix: { type: String, required: true, immutable: true },
    keyHash: { type: String, required: true, immutable: true },
    /** Bound to one workspace; null: the default one, or whichever `x-workspace-id` names. */
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    scope: {
      agentIds: { type: [Schema.Types.ObjectId], default: null },
      readOnly: { type: Boolean, default: false },
    },
    /** Fixed when the key is created; absent: no capabilities. */
    capabilities: typeAs<KeyCapability[] | undefined>({
      type: [String],
      enum: KEY_CAPABILITIES,
      immutable: true,
      default: undefined,
    }),
    createdBy: { type: Schema.Types.ObjectId, required: true },
    lastUsedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
  },
  { timestamps: true },
);
export interface WorkspaceKeyDocument extends DocumentOf<typeof workspaceKeySchema> {}
workspaceKeySchema.index({ keyHash: 1 }, { name: 'hash', unique: true });
workspaceKeySchema.index({ organizationId: 1, createdAt: -1 }, { name: 'list' });
