// Sessions: one row per session token; `revokedAt` marks the revoked ones.
import { Schema } from 'mongoose';
import {
  allowAbsent,
  CREATED,
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../../platform/mongo/collection.ts';

/** The second proof of a sign-in: a code, a passkey, or the statement of an organisation's provider; null: none. */
export type SecondFactorKind = 'totp' | 'backup_code' | 'identity_provider' | 'passkey';

/** Sessions are kept for 30 days after their end, so that revoked ones can be distinguished from expired ones. */
const KEPT_SECONDS = 30 * 24 * 3600;

const text = { type: String, required: true } as const;
const signOnSchema = definePart({
  protocol: typeAs<'oidc' | 'saml'>(text),
  /** The identity provider. */
  issuer: text,
  subject: text,
  /** The claim (OpenID Connect) or the format of the NameID (SAML); null: unknown, stored by an earlier version. */
  format: { type: String, default: null },
  /** The provider's own session (`sid`, `SessionIndex`), for single logout; null where it names none. */
  sessionIndex: { type: String, default: null },
  /** Further ones, where the provider names several sessions of the person. */
  otherIndexes: typeAs<readonly string[] | undefined>({ type: [String], default: undefined }),
  /** When the provider says that its session ends; absent or null where it says nothing. */
  endsAt: allowAbsent({ type: Date, default: null }),
});
/** The sign-on at an organisation's own identity provider that opened a session; the session leads nowhere else. */
export interface SignOn extends DocumentOf<typeof signOnSchema> {}

export const sessionSchema = defineCollection(
  'sessions',
  {
    jti: { type: String, required: true, immutable: true },
    userId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    organizationId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    ip: { type: String, default: null },
    userAgent: { type: String, default: null },
    /** Null: the person proved who they are to Assay itself or by a social login. */
    signOn: { type: signOnSchema, default: null },
    secondFactor: typeAs<SecondFactorKind | null>({ type: String, default: null }),
    /** When the person last proved who they are; a refresh is no proof. */
    authenticatedAt: { type: Date, required: true },
    /** The absolute end, which no refresh moves. */
    endsAt: { type: Date, required: true },
    /** When the token expires. */
    expiresAt: { type: Date, required: true },
    /** The session of which it is a refresh, or which has led here from another organisation; absent: it is the first. */
    root: String,
    /** The sessions that approved it for a device, by their roots; it ends with each of them. */
    approvedIn: typeAs<readonly string[] | undefined>({ type: [String], default: undefined }),
    /** The membership that it was opened for; absent in sessions of earlier versions. */
    membershipId: allowAbsent({ type: Schema.Types.ObjectId, default: null }),
    /** When a refresh replaced it; set only in sessions of earlier versions, because a refresh now revokes. */
    supersededAt: allowAbsent({ type: Date, default: null }),
    revokedAt: { type: Date, default: null },
    /** The change of the membership that revoked it; absent or null: another reason. */
    revokedBy: allowAbsent({ type: String, enum: ['suspension', 'removal', null], default: null }),
  },
  { timestamps: CREATED, ofNoTenant: true },
);
export interface SessionDocument extends DocumentOf<typeof sessionSchema> {}
sessionSchema.index({ jti: 1 }, { name: 'jti', unique: true });
sessionSchema.index({ userId: 1, expiresAt: -1 }, { name: 'user' });
sessionSchema.index(
  { organizationId: 1, 'signOn.issuer': 1, 'signOn.subject': 1 },
  { name: 'signOn', partialFilterExpression: { 'signOn.subject': { $type: 'string' } } },
);
sessionSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
