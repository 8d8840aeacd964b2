// Sessions: one row per session token; `revokedAt` marks the revoked ones.
import { Schema, type Types } from 'mongoose';
import type { ProviderName } from '../../../domain/sign-on/provider-name.ts';

/** The sign-on at an organisation's own identity provider that opened a session; the session leads nowhere else. */
export interface SignOn extends ProviderName {
  /** The provider's own session (`sid`, `SessionIndex`), for single logout; null where it names none. */
  sessionIndex: string | null;
  /** Further ones, where the provider names several sessions of the person. */
  otherIndexes?: readonly string[];
  /** When the provider says that its session ends; absent or null where it says nothing. */
  endsAt?: Date | null;
}

/** The second proof of a sign-in: a code, or the statement of an organisation's provider; null: none. */
export type SecondFactorKind = 'totp' | 'backup_code' | 'identity_provider';

export interface SessionDocument {
  _id: Types.ObjectId;
  jti: string;
  userId: Types.ObjectId;
  organizationId: Types.ObjectId;
  ip: string | null;
  userAgent: string | null;
  /** Null: the person proved who they are to Assay itself or by a social login. */
  signOn: SignOn | null;
  secondFactor: SecondFactorKind | null;
  /** When the person last proved who they are; a refresh is no proof. */
  authenticatedAt: Date;
  /** The absolute end, which no refresh moves. */
  endsAt: Date;
  /** When the token expires. */
  expiresAt: Date;
  /** The session of which it is a refresh, or which has led here from another organisation; absent: it is the first. */
  root?: string;
  /** The sessions that approved it for a device, by their roots; it ends with each of them. */
  approvedIn?: readonly string[];
  /** The membership that it was opened for; absent in sessions of earlier versions. */
  membershipId?: Types.ObjectId | null;
  /** When a refresh replaced it; set only in sessions of earlier versions, because a refresh now revokes. */
  supersededAt?: Date | null;
  revokedAt: Date | null;
  /** The change of the membership that revoked it; absent or null: another reason. */
  revokedBy?: 'suspension' | 'removal' | null;
  createdAt: Date;
}

/** Sessions are kept for 30 days after their end, so that revoked ones can be distinguished from expired ones. */
const KEPT_SECONDS = 30 * 24 * 3600;

const text = { type: String, required: true };
const signOnSchema = new Schema<SignOn>(
  {
    protocol: text,
    issuer: text,
    subject: text,
    format: { type: String, default: null },
    sessionIndex: { type: String, default: null },
    otherIndexes: { type: [String], default: undefined },
    endsAt: { type: Date, default: null },
  },
  { _id: false },
);

export const sessionSchema = new Schema<SessionDocument>(
  {
    jti: { type: String, required: true, immutable: true },
    userId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    organizationId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    ip: { type: String, default: null },
    userAgent: { type: String, default: null },
    signOn: { type: signOnSchema, default: null },
    secondFactor: { type: String, default: null },
    authenticatedAt: { type: Date, required: true },
    endsAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    root: String,
    approvedIn: { type: [String], default: undefined },
    membershipId: { type: Schema.Types.ObjectId, default: null },
    supersededAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    revokedBy: { type: String, enum: ['suspension', 'removal', null], default: null },
  },
  { collection: 'sessions', timestamps: { createdAt: true, updatedAt: false }, autoIndex: false },
);
sessionSchema.index({ jti: 1 }, { name: 'jti', unique: true });
sessionSchema.index({ userId: 1, expiresAt: -1 }, { name: 'user' });
sessionSchema.index(
  { organizationId: 1, 'signOn.issuer': 1, 'signOn.subject': 1 },
  { name: 'signOn', partialFilterExpression: { 'signOn.subject': { $type: 'string' } } },
);
sessionSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
