// The organisation: the tenant itself, its plan and the workspace new records go to.
import { Schema, type Types } from 'mongoose';
import { PLANS, type Plan } from '../../domain/plans.ts';
import type { RoleRule } from '../../domain/role-mapping.ts';
import { ROLES } from '../../domain/roles.ts';

export interface OrganizationDocument {
  _id: Types.ObjectId;
  name: string;
  slug: string;
  subscription: {
    plan: Plan;
    status: string;
    currentPeriodEnd: Date | null;
    cancelAtPeriodEnd: boolean;
    paymentCustomerId: string | null;
  };
  defaultWorkspaceId: Types.ObjectId;
  /** Which national id numbers are recognised in payloads. */
  scrubNationalIds: boolean;
  /** Which role a provisioned or signed-on member gets; the first rule that fits. */
  roleMapping: RoleRule[];
  /** Whether a deactivation by SCIM ends the member's sessions here as well. */
  endSessionsOnScimDeactivate: boolean;
  /** Written by every change of a membership, so that these happen one after the other. */
  membershipChanges: number;
  createdAt: Date;
  updatedAt: Date;
}

export const organizationSchema = new Schema<OrganizationDocument>(
  {
    name: { type: String, required: true, trim: true, maxlength: 200 },
    slug: { type: String, required: true },
    subscription: {
      plan: { type: String, enum: PLANS, required: true },
      status: { type: String, default: 'active' },
      currentPeriodEnd: { type: Date, default: null },
      cancelAtPeriodEnd: { type: Boolean, default: false },
      paymentCustomerId: { type: String, default: null },
    },
    defaultWorkspaceId: { type: Schema.Types.ObjectId, required: true },
    scrubNationalIds: { type: Boolean, default: true },
    roleMapping: [
      new Schema({ pattern: { type: String, required: true }, role: { type: String, enum: ROLES } }, { _id: false }),
    ],
    endSessionsOnScimDeactivate: { type: Boolean, default: false },
    membershipChanges: { type: Number, default: 0 },
  },
  { collection: 'organizations', timestamps: true, autoIndex: false },
);
organizationSchema.index({ slug: 1 }, { name: 'slug', unique: true });
