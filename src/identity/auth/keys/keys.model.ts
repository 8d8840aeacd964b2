// Workspace API keys: only the SHA-256 of the key is stored, and answers show its prefix.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

/** `feedback`: what the key sends counts as the verdict of a person, and the key ingests no decisions. */
export const KEY_CAPABILITIES = ['feedback'] as const;
export type KeyCapability = (typeof KEY_CAPABILITIES)[number];

export interface WorkspaceKeyDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  name: string;
  prefix: string;
  keyHash: string;
  /** Bound to one workspace; null: the default one, or whichever `x-workspace-id` names. */
  workspaceId: Types.ObjectId | null;
  scope: { agentIds: Types.ObjectId[] | null; readOnly: boolean };
  /** Fixed when the key is created; absent: no capabilities. */
  capabilities?: KeyCapability[];
  createdBy: Types.ObjectId;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export const workspaceKeySchema = new Schema<WorkspaceKeyDocument>(
  {
    name: { type: String, required: true, trim: true, maxlength: 100 },
    prefix: { type: String, required: true, immutable: true },
    keyHash: { type: String, required: true, immutable: true },
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    scope: {
      agentIds: { type: [Schema.Types.ObjectId], default: null },
      readOnly: { type: Boolean, default: false },
    },
    capabilities: { type: [String], enum: KEY_CAPABILITIES, immutable: true, default: undefined },
    createdBy: { type: Schema.Types.ObjectId, required: true },
    lastUsedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
  },
  { collection: 'workspace_keys', timestamps: true, autoIndex: false },
);
workspaceKeySchema.plugin(guardTenancy);
workspaceKeySchema.index({ keyHash: 1 }, { name: 'hash', unique: true });
workspaceKeySchema.index({ organizationId: 1, createdAt: -1 }, { name: 'list' });
