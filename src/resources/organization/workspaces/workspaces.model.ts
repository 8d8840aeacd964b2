// Workspaces divide an organisation's agents, policies and decisions; every organisation has a default one.
import { Schema, type Types } from 'mongoose';
import { tenancy } from '../../../platform/mongo/tenancy.ts';

export interface WorkspaceDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  name: string;
  createdAt: Date;
  updatedAt: Date;
}

export const workspaceSchema = new Schema<WorkspaceDocument>(
  { name: { type: String, required: true, trim: true, maxlength: 100 } },
  { collection: 'workspaces', timestamps: true, autoIndex: false },
);
workspaceSchema.plugin(tenancy);
workspaceSchema.index({ organizationId: 1, name: 1 }, { name: 'name', unique: true });
