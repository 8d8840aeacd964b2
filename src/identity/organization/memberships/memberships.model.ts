// Membership: one row per organisation and user; the role is stored here and read on every request.
import { Schema, type Types } from 'mongoose';
import { ROLES, type Role } from '../../../domain/identity/roles.ts';
import type { ProviderName } from '../../../domain/sign-on/provider-name.ts';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

/** The SCIM entry of a member; stored per membership, because directories of other organisations may differ. */
export interface DirectoryEntry {
  /** Lower-cased. */
  userName: string;
  displayName: string | null;
  formatted: string | null;
  givenName: string | null;
  familyName: string | null;
  /** The first one is canonical. */
  emails: { value: string; type: string | null; primary: boolean }[];
}

export interface MembershipDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  userId: Types.ObjectId;
  role: Role;
  isActive: boolean;
  /** Which side suspended it: only `team` ends open sessions by itself. */
  deactivatedBy: 'team' | 'scim' | null;
  /** Given by a directory to an account with an unproved mailbox: it can be entered after the proof. */
  awaitsProof: boolean;
  /** Offered by a directory to a user it may not speak for: it becomes the user's when they enter the organisation. */
  isPending: boolean;
  /** When the user first entered the organisation; null: never. */
  enteredAt: Date | null;
  /** The last sign-in to this organisation; sign-ins to others are not shown here. */
  lastLoginAt: Date | null;
  lastLoginIp: string | null;
  /** The identity provider's stable id of the person: `externalId` of SCIM. */
  ssoId: string | null;
  /** The member's name at the organisation's identity provider, known since the first sign-on. */
  signOn: ProviderName | null;
  /** Whether the organisation's role mapping gave the role, and may also take it away. */
  roleMapped: boolean;
  /** Null for a member who was not provisioned. */
  directory: DirectoryEntry | null;
  createdAt: Date;
  updatedAt: Date;
}

const text = { type: String, default: null };
const required = { type: String, required: true };
const directorySchema = new Schema<DirectoryEntry>(
  {
    userName: { type: String, required: true },
    displayName: text,
    formatted: text,
    givenName: text,
    familyName: text,
    emails: [
      new Schema(
        { value: { type: String, required: true }, type: text, primary: Boolean },
        { _id: false },
      ),
    ],
  },
  { _id: false },
);

export const membershipSchema = new Schema<MembershipDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    role: { type: String, enum: ROLES, required: true },
    isActive: { type: Boolean, default: true },
    deactivatedBy: { type: String, enum: ['team', 'scim', null], default: null },
    awaitsProof: { type: Boolean, default: false },
    isPending: { type: Boolean, default: false },
    enteredAt: { type: Date, default: null },
    lastLoginAt: { type: Date, default: null },
    lastLoginIp: text,
    ssoId: text,
    signOn: {
      type: new Schema<ProviderName>(
        { protocol: required, issuer: required, format: text, subject: required },
        { _id: false },
      ),
      default: null,
    },
    roleMapped: { type: Boolean, default: false },
    directory: { type: directorySchema, default: null },
  },
  { collection: 'memberships', timestamps: true, autoIndex: false },
);
membershipSchema.plugin(guardTenancy);
membershipSchema.index({ organizationId: 1, userId: 1 }, { name: 'member', unique: true });
membershipSchema.index({ userId: 1 }, { name: 'user' });
membershipSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'joined' });
membershipSchema.index({ organizationId: 1, role: 1 }, { name: 'role' });
membershipSchema.index(
  { organizationId: 1, ssoId: 1 },
  { name: 'ssoId', partialFilterExpression: { ssoId: { $type: 'string' } } },
);
membershipSchema.index(
  {
    organizationId: 1,
    'signOn.protocol': 1,
    'signOn.issuer': 1,
    'signOn.subject': 1,
    'signOn.format': 1,
  },
  {
    name: 'providerName',
    unique: true,
    partialFilterExpression: { 'signOn.subject': { $type: 'string' } },
  },
);
membershipSchema.index(
  { organizationId: 1, 'directory.userName': 1 },
  {
    name: 'userName',
    unique: true,
    partialFilterExpression: { 'directory.userName': { $type: 'string' } },
  },
);
