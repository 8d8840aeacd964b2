// Reads and changes the SSO settings of an organisation: its identity provider, and the mapping of groups to roles.
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { RoleRule } from '../../../domain/identity/role-mapping.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { createSamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../memberships/memberships.service.ts';
import type { OrganizationDocument, SsoConfig } from '../organization.model.ts';
import {
  type IdentityProvider,
  toIdentityProvider,
  type OrganizationService,
} from '../organization.service.ts';
import { listSwitchedOff } from '../../../domain/dual-control/weakened-switches.ts';
import type { Notify } from '../../../domain/events/announcement.ts';
import type { roleMappingInput, SsoSettingsView } from './sso-settings.schemas.ts';
import { toAuditMetadata, toServiceProvider, toSettingsView } from './sso-settings.view.ts';
import type { SsoInput, SsoValidationService } from './sso-validation.service.ts';
import type { SsoWarningService } from './sso-warnings.service.ts';

/** The sessions that providers have opened. */
interface SignOnSessions {
  /** Ends those of all providers but `staying`; returns how many were in use. */
  endSignOns(organizationId: string, staying: IdentityProvider | null): Promise<number>;
  /** Ends all of a member's. */
  endMemberSessions(organizationId: string, userId: string): Promise<void>;
}

interface Deps {
  validation: SsoValidationService;
  warnings: SsoWarningService;
  sessions: SignOnSessions;
  organizations: OrganizationService;
  memberships: MembershipService;
  notify: Notify;
}

const LINK = '/settings/sso';

export interface SavedSsoSettings {
  view: SsoSettingsView;
  /** Metadata of the audit entry. */
  metadata: Record<string, unknown>;
}

/** Settings that are not saved. */
interface CheckedDraft {
  config: SsoConfig;
  warnings: string[];
}

export interface RoleMapping {
  rules: RoleRule[];
}

export function createSsoSettingsService(
  platform: Pick<Platform, 'models' | 'publicUrl'>,
  deps: Deps,
) {
  const { models, publicUrl } = platform;
  const { validation, warnings, sessions, organizations, memberships, notify } = deps;
  const endpoints = createSamlEndpoints(publicUrl);

  /** @throws AppError `NOT_FOUND` when it has just been deleted */
  function loadOrganization({ organizationId }: Tenant): Promise<OrganizationDocument> {
    return findOr404(models.organizations.findById(organizationId).lean<OrganizationDocument>());
  }

  function toView(organizationId: string, config: SsoConfig | null): SsoSettingsView {
    const serviceProvider = toServiceProvider(organizationId, publicUrl, endpoints);
    const settings = toSettingsView(config);
    return { settings, serviceProvider, warnings: warnings.listWarnings(config) };
  }

  async function announceWeakening(
    organizationId: string,
    before: SsoConfig | null,
    after: SsoConfig | null,
  ): Promise<void> {
    const about = listSwitchedOff({ before: before ?? {}, after: after ?? {} }, LINK);
    await notify({ organizationId, event: 'control.weakened', about });
  }

  return {
    async showSettings(tenant: Tenant): Promise<SsoSettingsView> {
      return toView(tenant.organizationId, (await loadOrganization(tenant)).ssoConfig);
    },

    /**
     * Checks host names and the provider, and returns warnings. Call it before a transaction.
     * @throws AppError `SSRF_BLOCKED`
     */
    async tryOut(input: SsoInput): Promise<string[]> {
      await validation.checkAddresses(input);
      return warnings.tryProvider(input);
    },

    /**
     * Checks settings as if they were saved; returns their stored form, with warnings.
     * @throws AppError `SSRF_BLOCKED`, `VALIDATION_ERROR`
     */
    async checkDraft(tenant: Tenant, input: SsoInput): Promise<CheckedDraft> {
      await validation.checkAddresses(input);
      const { ssoConfig } = await loadOrganization(tenant);
      const config = validation.toConfig(tenant.organizationId, input, ssoConfig);
      return { config, warnings: warnings.listWarnings(config) };
    },

    /** Replaces all settings; sessions of other providers end. @throws AppError `VALIDATION_ERROR` */
    async replace(
      tenant: Tenant,
      input: SsoInput,
      found: readonly string[] = [],
    ): Promise<SavedSsoSettings> {
      const { organizationId } = tenant;
      const { ssoConfig: before } = await loadOrganization(tenant);
      const ssoConfig = validation.toConfig(organizationId, input, before);
      await models.organizations.updateOne({ _id: organizationId }, { $set: { ssoConfig } });
      organizations.invalidateContext(organizationId);
      await announceWeakening(organizationId, before, ssoConfig);
      const sessionsEnded = await sessions.endSignOns(
        organizationId,
        toIdentityProvider(ssoConfig),
      );
      const secretChanged = input.oidc?.clientSecret !== undefined;
      const metadata = { ...toAuditMetadata(ssoConfig), secretChanged, sessionsEnded };
      const view = toView(organizationId, ssoConfig);
      return { view: { ...view, warnings: [...view.warnings, ...found] }, metadata };
    },

    /** Removes SSO and ends its sessions; returns how many. @throws AppError `NOT_FOUND` when there are no settings */
    async remove(tenant: Tenant): Promise<number> {
      const { organizationId } = tenant;
      const { ssoConfig: before } = await loadOrganization(tenant);
      if (before === null) throw new AppError('NOT_FOUND', 'SSO is not configured');
      const none = { $set: { ssoConfig: null } };
      await models.organizations.updateOne({ _id: organizationId }, none);
      await announceWeakening(organizationId, before, null);
      organizations.invalidateContext(organizationId);
      return sessions.endSignOns(organizationId, null);
    },

    /**
     * Removes the link of a member, whose name at the provider has changed, and ends their sessions here: the next
     * sign-on links the member again by address.
     * @throws AppError `NOT_FOUND`
     */
    async removeLink({ organizationId }: Tenant, userId: string): Promise<void> {
      const membership = await findOr404(memberships.findMembership(organizationId, userId));
      if (membership.signOn === null) throw new AppError('NOT_FOUND', 'Member has never signed on');
      await memberships.change(membership, { signOn: null });
      await sessions.endMemberSessions(organizationId, userId);
    },

    async loadRoleMapping(tenant: Tenant): Promise<RoleMapping> {
      return { rules: (await loadOrganization(tenant)).roleMapping };
    },

    /** Roles change at the next login or provisioning, not at once. @throws AppError `NOT_FOUND` */
    async mapRoles(
      { organizationId }: Tenant,
      { rules }: z.output<typeof roleMappingInput>,
    ): Promise<RoleMapping> {
      const { matchedCount } = await models.organizations.updateOne(
        { _id: organizationId },
        { $set: { roleMapping: rules } },
      );
      if (matchedCount === 0) throw new AppError('NOT_FOUND');
      return { rules };
    },
  };
}
export type SsoSettingsService = ReturnType<typeof createSsoSettingsService>;
