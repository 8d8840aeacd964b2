// What stands in the way of a sign-on although its settings are valid: told to whoever saves them, and at the start.
import type { Platform } from '../../../composition/platform.ts';
import { isSameSite } from '../../../domain/sign-on/same-site.ts';
import type { OrganizationDocument, SsoConfig } from '../organization.model.ts';

type Deps = Pick<Platform, 'models' | 'publicUrl' | 'logger'>;

const PLAIN_HTTP =
  'Sign-on by SAML fails in browsers: over plain http they send no cookie along with the form of another site. Assay needs an https address (ASSAY_PUBLIC_URL)';

export function createSsoWarningService({ models, publicUrl, logger }: Deps) {
  /** A cookie that goes along with forms of other sites has to be Secure, and a Secure one needs https. */
  const losesCookie = ({ provider, saml }: SsoConfig): boolean =>
    provider === 'saml' &&
    saml !== null &&
    publicUrl.startsWith('http:') &&
    !isSameSite(publicUrl, saml.ssoUrl);

  return {
    of(config: SsoConfig | null): string[] {
      return config && losesCookie(config) ? [PLAIN_HTTP] : [];
    },

    /** Warns the operator, for the organisations that are set up already. */
    async atStart(): Promise<void> {
      if (publicUrl.startsWith('https:')) return;
      const found = await models.organizations
        .find({ 'ssoConfig.provider': 'saml' }, 'ssoConfig')
        .lean<Pick<OrganizationDocument, '_id' | 'ssoConfig'>[]>();
      const concerned = found.filter(({ ssoConfig }) => ssoConfig && losesCookie(ssoConfig));
      if (concerned.length === 0) return;
      const organizationIds = concerned.map(({ _id }) => _id.toHexString());
      logger.warn({ publicUrl, organizationIds }, PLAIN_HTTP);
    },
  };
}
export type SsoWarningService = ReturnType<typeof createSsoWarningService>;
