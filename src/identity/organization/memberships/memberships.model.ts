// Membership: one row per organisation and user; the role is stored here and read on every request.
import { Schema } from 'mongoose';
import { ROLES } from '../../../domain/identity/roles.ts';
import type { ProviderName } from '../../../domain/sign-on/provider-name.ts';
import {
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../../platform/mongo/collection.ts';

const text = { type: String, default: null } as const;
const required = { type: String, required: true } as const;
const directorySchema = definePart({
  /** Lower-cased. */
  userName: { type: String, required: true },
  displayName: text,
  formatted: text,
  givenName: text,
  familyName: text,
  /** The first one is canonical. */
  emails: [definePart({ value: { type: String, required: true }, type: text, primary: Boolean })],
});
/** The SCIM entry of a member; stored per membership, because directories of other organisations may differ. */
export interface DirectoryEntry extends DocumentOf<typeof directorySchema> {}

const delegationSchema = definePart({
  _id: { type: Schema.Types.ObjectId, required: true },
  delegateId: { type: Schema.Types.ObjectId, required: true },
  from: { type: Date, required: true },
  until: { type: Date, required: true },
});
/** A time in which another member decides in the place of this one. */
export interface Delegation extends DocumentOf<typeof delegationSchema> {}

export const membershipSchema = defineCollection(
  'memberships',
  {
    userId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    role: { type: String, enum: ROLES, required: true },
    isActive: { type: Boolean, default: true },
    /** Which side suspended it: only `team` ends open sessions by itself. */
    deactivatedBy: { type: String, enum: ['team', 'scim', null], default: null },
    /** Given by a directory to an account with an unproved mailbox: it can be entered after the proof. */
    awaitsProof: { type: Boolean, default: false },
    /** Offered by a directory to a user it may not speak for: it becomes the user's when they enter the organisation. */
    isPending: { type: Boolean, default: false },
    /** When the user first entered the organisation; null: never. */
    enteredAt: { type: Date, default: null },
    /** The last sign-in to this organisation; sign-ins to others are not shown here. */
    lastLoginAt: { type: Date, default: null },
    lastLoginIp: text,
    /** The identity provider's stable id of the person: `externalId` of SCIM. */
    ssoId: text,
    /** The member's name at the organisation's identity provider, known since the first sign-on. */
    signOn: typeAs<ProviderName | null>({
      type: definePart({ protocol: required, issuer: required, format: text, subject: required }),
      default: null,
    }),
    /** Whether the organisation's role mapping gave the role, and may also take it away. */
    roleMapped: { type: Boolean, default: false },
    /** Null for a member who was not provisioned. */
    directory: { type: directorySchema, default: null },
    /** Who decides held decisions in the member's place, and when; absent: no one does. */
    delegations: typeAs<Delegation[] | undefined>({ type: [delegationSchema], default: undefined }),
  },
  { timestamps: true },
);
export interface MembershipDocument extends DocumentOf<typeof membershipSchema> {}
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
