// Membership: one row per organisation and user; the role is stored here and read on every request.
import { Schema, type Types } from 'mongoose';
import { ROLES, type Role } from '../../domain/roles.ts';
import { tenancy } from '../../infra/tenancy.ts';

export interface MembershipDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  userId: Types.ObjectId;
  role: Role;
  isActive: boolean;
  /** Who suspended it: only `team` ends open sessions. */
  deactivatedBy: 'team' | 'scim' | null;
  createdAt: Date;
  updatedAt: Date;
}

export const membershipSchema = new Schema<MembershipDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    role: { type: String, enum: ROLES, required: true },
    isActive: { type: Boolean, default: true },
    deactivatedBy: { type: String, enum: ['team', 'scim', null], default: null },
  },
  { collection: 'memberships', timestamps: true, autoIndex: false },
);
membershipSchema.plugin(tenancy);
membershipSchema.index({ organizationId: 1, userId: 1 }, { name: 'member', unique: true });
membershipSchema.index({ userId: 1 }, { name: 'user' });
