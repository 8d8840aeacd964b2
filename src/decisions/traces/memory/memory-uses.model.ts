// Organisations that have used the memory search: from then on their decisions are indexed.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface MemoryUseDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  firstSearchedAt: Date;
}

export const memoryUseSchema = new Schema<MemoryUseDocument>(
  { firstSearchedAt: { type: Date, required: true } },
  { collection: 'memory_uses', autoIndex: false, versionKey: false },
);
memoryUseSchema.plugin(guardTenancy);
memoryUseSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
