// Begins a trial of a sign-on: checks the settings as if they were saved, and sends the browser to the provider.
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import type { ActiveSsoService } from '../../organization/sso-settings/active-sso.service.ts';
import type { SsoSettingsService } from '../../organization/sso-settings/sso-settings.service.ts';
import type { LoginStarter } from '../login/home-realm.service.ts';
import type { Cookie } from '../login/login-requests.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import type { TrialDocument } from './trials.model.ts';
import type { TrialService } from './trials.service.ts';

interface Deps {
  trials: TrialService;
  ssoSettings: SsoSettingsService;
  activeSso: ActiveSsoService;
  starters: Record<TrialDocument['provider'], LoginStarter>;
}

interface Draft {
  /** As they would be saved. */
  settings: Parameters<SsoSettingsService['checkDraft']>[1];
  /** Where the browser goes at the end. */
  returnTo?: string | undefined;
}

interface StartedTrial {
  trial: TrialDocument;
  redirectUrl: string;
  /** What stands in the way although the settings are valid. */
  warnings: string[];
  cookies: Cookie[];
}

export function createTrialStartService(
  { redirectAllowList }: Pick<Platform, 'redirectAllowList'>,
  { trials, ssoSettings, activeSso, starters }: Deps,
) {
  return {
    /** @throws AppError `SSRF_BLOCKED`, `VALIDATION_ERROR`, `IDENTITY_PROVIDER_UNAVAILABLE` */
    async begin(tenant: Tenant, user: User, draft: Draft): Promise<StartedTrial> {
      const returnTo = resolveReturnAddress(redirectAllowList, draft.returnTo);
      const { config, warnings } = await ssoSettings.checkDraft(tenant, draft.settings);
      const settings = await activeSso.openDraft(tenant.organizationId, config);
      const trial = await trials.create(tenant, user, config);
      const start = { returnTo, testId: trial._id.toHexString() };
      const { location, cookies } = await starters[settings.provider].begin(settings, start);
      return { trial, redirectUrl: location, warnings, cookies };
    },
  };
}
export type TrialStartService = ReturnType<typeof createTrialStartService>;
