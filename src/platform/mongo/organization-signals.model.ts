// One document per organisation; writing it wakes the instances that follow the collection.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from './tenancy.ts';

export interface OrganizationSignalDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  sentAt: Date;
}

export const organizationSignalSchema = new Schema<OrganizationSignalDocument>(
  { sentAt: { type: Date, required: true } },
  { collection: 'organization_signals', autoIndex: false, versionKey: false },
);
organizationSignalSchema.plugin(guardTenancy);
organizationSignalSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
