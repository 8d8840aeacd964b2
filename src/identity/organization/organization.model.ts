// The organisation: the tenant, its plan, its settings and its default workspace.
import { Schema, type Types } from 'mongoose';
import type { SubscriptionEvent } from '../../domain/billing/subscription.ts';
import { PLANS, type Plan } from '../../domain/identity/plans.ts';
import type { RoleRule } from '../../domain/identity/role-mapping.ts';
import { ROLES } from '../../domain/identity/roles.ts';

/** OpenID Connect at the organisation's identity provider. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Sealed for this organisation. */
  clientSecret: string;
  /**
   * The claim that identifies a person permanently; `sub` unless the provider has a better one, such as Entra's `oid`.
   */
  subjectClaim: string;
  /** The claim that lists groups, for role mapping. */
  groupsClaim: string;
}

/** SAML 2.0 at the organisation's identity provider. */
export interface SamlSettings {
  /** Entity id of the identity provider: the issuer of its assertions. */
  entityId: string;
  /** Where sign-on requests go (HTTP-Redirect). */
  ssoUrl: string;
  /** Where logout requests and answers go (HTTP-Redirect); null: no single logout. */
  sloUrl: string | null;
  /** PEM, one or two: both are valid while a certificate is replaced. */
  certificates: string[];
  /** The only kind of NameID that is requested and accepted; null or absent: any but transient ones. */
  nameIdFormat?: string | null;
  /** Names of assertion attributes; an e-mail address in the NameID needs none. */
  emailAttribute: string;
  nameAttribute: string;
  groupsAttribute: string;
}

/** How members sign on; the settings of the unused protocol may be prepared. */
export interface SsoConfig {
  provider: 'oidc' | 'saml';
  /** Whether Assay requires its own second factor as well. */
  requireMfaEvenWithSso: boolean;
  /** Whether members other than owners must use the sign-on; absent: no. */
  requireSso?: boolean;
  /** Just-in-time provisioning: whether the first login creates a membership. */
  justInTime: boolean;
  oidc: OidcSettings | null;
  saml: SamlSettings | null;
}

/** Which partners may read the monthly insurance feed (`policies/insurance-feed`). */
export interface InsuranceFeedSetting {
  enabled: boolean;
  /** The `keyId`s of the partners that may pull it; absent: every partner of the installation. */
  partners?: string[];
}

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
    /** Absent in organisations of earlier versions, like what follows. */
    paymentSubscriptionId?: string | null;
    /** When that subscription began. */
    begunAt?: Date | null;
    /** `lastEventAt` and `lastEventKind`: when the event happened that was applied last, and its kind; null: none was. */
    toldAt?: Date | null;
    toldBy?: SubscriptionEvent['kind'] | null;
  };
  defaultWorkspaceId: Types.ObjectId;
  /** Which national id numbers are recognised in payloads. */
  scrubNationalIds: boolean;
  /** The role of a provisioned or signed-on member: that of the first rule that fits. */
  roleMapping: RoleRule[];
  /** Null: SSO is not configured. */
  ssoConfig: SsoConfig | null;
  /** Whether a deactivation by SCIM ends the member's sessions too. */
  endSessionsOnScimDeactivate: boolean;
  /** Whether enabled policies change by approval only; absent in organisations of earlier versions. */
  requirePolicyApproval?: boolean;
  /** The request to switch it off, while it waits for a second person. */
  policyApprovalRelease?: { by: Types.ObjectId; at: Date } | null;
  /** Absent in organisations of earlier versions. */
  insuranceFeed?: InsuranceFeedSetting;
  /**
   * When the owner was asked whether to keep an organisation from before the proof of their mailbox; null or absent:
   * never.
   */
  reclaimedAt?: Date | null;
  /** Incremented by every change of a membership, which serialises these changes. */
  membershipChanges: number;
  createdAt: Date;
  updatedAt: Date;
}

const text = { type: String, required: true };
const oidcSchema = new Schema<OidcSettings>(
  { issuer: text, clientId: text, clientSecret: text, subjectClaim: text, groupsClaim: text },
  { _id: false },
);
const samlSchema = new Schema<SamlSettings>(
  {
    entityId: text,
    ssoUrl: text,
    emailAttribute: text,
    nameAttribute: text,
    groupsAttribute: text,
    sloUrl: { type: String, default: null },
    nameIdFormat: { type: String, default: null },
    certificates: { type: [String], required: true },
  },
  { _id: false },
);
const ssoSchema = new Schema<SsoConfig>(
  {
    provider: { type: String, enum: ['oidc', 'saml'], required: true },
    requireMfaEvenWithSso: { type: Boolean, default: false },
    requireSso: { type: Boolean, default: false },
    justInTime: { type: Boolean, default: true },
    oidc: { type: oidcSchema, default: null },
    saml: { type: samlSchema, default: null },
  },
  { _id: false },
);

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
      paymentSubscriptionId: { type: String, default: null },
      begunAt: { type: Date, default: null },
      toldAt: { type: Date, default: null },
      toldBy: { type: String, default: null },
    },
    defaultWorkspaceId: { type: Schema.Types.ObjectId, required: true },
    scrubNationalIds: { type: Boolean, default: true },
    roleMapping: [
      new Schema(
        { pattern: { type: String, required: true }, role: { type: String, enum: ROLES } },
        { _id: false },
      ),
    ],
    ssoConfig: { type: ssoSchema, default: null },
    endSessionsOnScimDeactivate: { type: Boolean, default: false },
    requirePolicyApproval: { type: Boolean, default: false },
    policyApprovalRelease: {
      type: new Schema({ by: Schema.Types.ObjectId, at: Date }, { _id: false }),
      default: null,
    },
    insuranceFeed: {
      enabled: { type: Boolean, default: false },
      partners: { type: [String], default: undefined },
    },
    reclaimedAt: { type: Date, default: null },
    membershipChanges: { type: Number, default: 0 },
  },
  { collection: 'organizations', timestamps: true, autoIndex: false },
);
organizationSchema.index({ slug: 1 }, { name: 'slug', unique: true });
organizationSchema.index(
  { 'subscription.paymentCustomerId': 1 },
  {
    name: 'payment-customer',
    partialFilterExpression: { 'subscription.paymentCustomerId': { $type: 'string' } },
  },
);
