// The organisation: the tenant, its plan, its settings and its default workspace.
import { Schema } from 'mongoose';
import type { SubscriptionEvent } from '../../domain/billing/subscription.ts';
import { PLANS } from '../../domain/identity/plans.ts';
import type { RoleRule } from '../../domain/identity/role-mapping.ts';
import { ROLES } from '../../domain/identity/roles.ts';
import {
  allowAbsent,
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

/** Which partners may read the monthly insurance feed (`policies/insurance-feed`). */
export interface InsuranceFeedSetting {
  enabled: boolean;
  /** The `keyId`s of the partners that may pull it; absent: every partner of the installation. */
  partners?: string[];
}

const text = { type: String, required: true } as const;
const oidcSchema = definePart({
  issuer: text,
  clientId: text,
  /** Sealed for this organisation. */
  clientSecret: text,
  /**
   * The claim that identifies a person permanently; `sub` unless the provider has a better one, such as Entra's `oid`.
   */
  subjectClaim: text,
  /** The claim that lists groups, for role mapping. */
  groupsClaim: text,
});
/** OpenID Connect at the organisation's identity provider. */
export interface OidcSettings extends DocumentOf<typeof oidcSchema> {}
const samlSchema = definePart({
  /** Entity id of the identity provider: the issuer of its assertions. */
  entityId: text,
  /** Where sign-on requests go (HTTP-Redirect). */
  ssoUrl: text,
  /** Names of assertion attributes; an e-mail address in the NameID needs none. */
  emailAttribute: text,
  nameAttribute: text,
  groupsAttribute: text,
  /** Where logout requests and answers go (HTTP-Redirect); null: no single logout. */
  sloUrl: { type: String, default: null },
  /** The only kind of NameID that is requested and accepted; null or absent: any but transient ones. */
  nameIdFormat: allowAbsent({ type: String, default: null }),
  /** PEM, one or two: both are valid while a certificate is replaced. */
  certificates: { type: [String], required: true },
});
/** SAML 2.0 at the organisation's identity provider. */
export interface SamlSettings extends DocumentOf<typeof samlSchema> {}
const ssoSchema = definePart({
  provider: { type: String, enum: ['oidc', 'saml'], required: true },
  /** Whether Assay requires its own second factor as well. */
  requireMfaEvenWithSso: { type: Boolean, default: false },
  /** Whether members other than owners must use the sign-on; absent: no. */
  requireSso: allowAbsent({ type: Boolean, default: false }),
  /** Just-in-time provisioning: whether the first login creates a membership. */
  justInTime: { type: Boolean, default: true },
  oidc: { type: oidcSchema, default: null },
  saml: { type: samlSchema, default: null },
});
/** How members sign on; the settings of the unused protocol may be prepared. */
export interface SsoConfig extends DocumentOf<typeof ssoSchema> {}

export const organizationSchema = defineCollection(
  'organizations',
  {
    name: { type: String, required: true, trim: true, maxlength: 200 },
    slug: { type: String, required: true },
    subscription: {
      plan: { type: String, enum: PLANS, required: true },
      status: { type: String, default: 'active' },
      currentPeriodEnd: { type: Date, default: null },
      cancelAtPeriodEnd: { type: Boolean, default: false },
      paymentCustomerId: { type: String, default: null },
      /** Absent in organisations of earlier versions, like what follows. */
      paymentSubscriptionId: allowAbsent({ type: String, default: null }),
      /** When that subscription began. */
      begunAt: allowAbsent({ type: Date, default: null }),
      /** `lastEventAt` and `lastEventKind`: when the event happened that was applied last, and its kind; null: none was. */
      toldAt: allowAbsent({ type: Date, default: null }),
      toldBy: typeAs<SubscriptionEvent['kind'] | null | undefined>({ type: String, default: null }),
    },
    defaultWorkspaceId: { type: Schema.Types.ObjectId, required: true },
    /** Which national id numbers are recognised in payloads. */
    scrubNationalIds: { type: Boolean, default: true },
    /** The role of a provisioned or signed-on member: that of the first rule that fits. */
    roleMapping: typeAs<RoleRule[]>([
      definePart({
        pattern: { type: String, required: true },
        role: { type: String, enum: ROLES },
      }),
    ]),
    /** Null: SSO is not configured. */
    ssoConfig: { type: ssoSchema, default: null },
    /** Whether a deactivation by SCIM ends the member's sessions too. */
    endSessionsOnScimDeactivate: { type: Boolean, default: false },
    /** Whether enabled policies change by approval only; absent in organisations of earlier versions. */
    requirePolicyApproval: allowAbsent({ type: Boolean, default: false }),
    /** The request to switch it off, while it waits for a second person. */
    policyApprovalRelease: allowAbsent({
      type: definePart({ by: Schema.Types.ObjectId, at: Date }),
      default: null,
    }),
    /** Absent in organisations of earlier versions. */
    insuranceFeed: typeAs<InsuranceFeedSetting | undefined>({
      enabled: { type: Boolean, default: false },
      partners: { type: [String], default: undefined },
    }),
    /**
     * When the owner was asked whether to keep an organisation from before the proof of their mailbox; null or absent:
     * never.
     */
    reclaimedAt: allowAbsent({ type: Date, default: null }),
    /** Incremented by every change of a membership, which serialises these changes. */
    membershipChanges: { type: Number, default: 0 },
  },
  { timestamps: true, ofNoTenant: true },
);
export interface OrganizationDocument extends DocumentOf<typeof organizationSchema> {}
organizationSchema.index({ slug: 1 }, { name: 'slug', unique: true });
organizationSchema.index(
  { 'subscription.paymentCustomerId': 1 },
  {
    name: 'payment-customer',
    partialFilterExpression: { 'subscription.paymentCustomerId': { $type: 'string' } },
  },
);
