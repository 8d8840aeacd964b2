// Where somebody's sign-on begins: the domain of the address leads to an organisation, its settings to a protocol (document 1, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
import { allowedRedirect } from '../../../domain/identity/redirect-allow-list.ts';
import { AppError } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type {
  SsoSettings,
  SsoSettingsService,
} from '../../organization/sso-settings/sso-settings.service.ts';
import type { Cookie } from './login-completion.service.ts';
import { refusalEntry } from './refusals.ts';

/** Begins a sign-on by one protocol. */
export interface LoginStarter {
  begin(settings: SsoSettings, returnTo: string): Promise<{ location: string; cookies: Cookie[] }>;
}

type Deps = Pick<Platform, 'redirectAllowList'> & {
  ssoSettings: SsoSettingsService;
  starters: Partial<Record<SsoSettings['provider'], LoginStarter>>;
  audit: AuditService;
};

/** Whose sign-on: the organisation itself, or that of an address's domain. */
interface Wish {
  organizationId?: string | undefined;
  email?: string | undefined;
  returnTo?: string | undefined;
}

interface Start {
  organizationId: string;
  returnTo: string;
  /** The only protocol that is meant; absent: whichever is set up. */
  protocol: SsoSettings['provider'] | undefined;
}

export function createHomeRealmService({ ssoSettings, starters, audit, redirectAllowList }: Deps) {
  async function begin({ organizationId, returnTo, protocol }: Start) {
    const settings = await ssoSettings.inForce(organizationId);
    const { provider } = settings;
    const starter = starters[provider];
    if (!starter || (protocol ?? provider) !== provider)
      throw new AppError('NOT_FOUND', 'No sign-on is set up here');
    const { location, cookies } = await starter.begin(settings, returnTo);
    return { organizationId, provider, redirectUrl: location, cookies };
  }

  return {
    /**
     * Only the domain of an address is looked at: whether somebody has an account takes no part.
     * @throws AppError `NOT_FOUND`, `UPGRADE_REQUIRED`, `VALIDATION_ERROR`, `IDENTITY_PROVIDER_UNAVAILABLE`
     */
    async initiate(
      { email, returnTo: wanted, ...wish }: Wish,
      origin: Origin,
      protocol?: Start['protocol'],
    ) {
      const returnTo = allowedRedirect(redirectAllowList, wanted);
      if (returnTo === null)
        throw new AppError('VALIDATION_ERROR', 'returnTo: is not an allowed address');
      const organizationId =
        wish.organizationId ?? (await ssoSettings.organizationFor(email ?? ''));
      if (organizationId === null) throw new AppError('NOT_FOUND', 'No sign-on is set up here');
      try {
        return await begin({ organizationId, returnTo, protocol });
      } catch (error) {
        const metadata = { ...(email !== undefined && { email }) };
        if (error instanceof AppError)
          await audit.write(
            refusalEntry({ organizationId, action: 'auth.sso.initiate', error, metadata }, origin),
          );
        throw error;
      }
    },
  };
}
export type HomeRealmService = ReturnType<typeof createHomeRealmService>;
