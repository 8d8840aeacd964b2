// The organisation: the tenant itself, its plan and the workspace new records go to.
import { Schema, type Types } from 'mongoose';
import { PLANS, type Plan } from '../../domain/plans.ts';

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
  /** Whether a directory that deactivates a member also ends the member's sessions. */
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
    endSessionsOnScimDeactivate: { type: Boolean, default: false },
    membershipChanges: { type: Number, default: 0 },
  },
  { collection: 'organizations', timestamps: true, autoIndex: false },
);
organizationSchema.index({ slug: 1 }, { name: 'slug', unique: true });
