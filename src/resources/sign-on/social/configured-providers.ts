// Creates the configured social login providers, with our client at each.
import type { Platform } from '../../../composition/platform.ts';
import type { IdentityProviders } from '../../../platform/outbound/identity-providers.ts';
import { gitHubLogin, openIdLogin, type SocialOpener } from './social-providers.service.ts';
import type { SocialKind } from './social.service.ts';

type Config = Platform['config'];
type Letter = 'A' | 'B' | 'C';

/** Null: not configured. */
function clientOf(config: Config, letter: Letter) {
  const clientId = config[`ASSAY_OAUTH_${letter}_CLIENT_ID`];
  const clientSecret = config[`ASSAY_OAUTH_${letter}_CLIENT_SECRET`];
  return clientId !== undefined && clientSecret !== undefined ? { clientId, clientSecret } : null;
}

/** Google, or another OpenID provider. */
function providerA(config: Config, providers: IdentityProviders): SocialOpener | null {
  const client = clientOf(config, 'A');
  if (!client) return null;
  return openIdLogin(providers, {
    registration: { ...client, issuer: config.ASSAY_OAUTH_A_ISSUER },
  });
}

/** GitHub, or a compatible provider. */
function providerB(config: Config, providers: IdentityProviders): SocialOpener | null {
  const client = clientOf(config, 'B');
  if (!client) return null;
  const authorizationUrl = config.ASSAY_OAUTH_B_AUTHORIZATION_URL;
  return gitHubLogin(providers, {
    ...client,
    authorizationUrl,
    tokenUrl: config.ASSAY_OAUTH_B_TOKEN_URL,
    apiUrl: config.ASSAY_OAUTH_B_API_URL.replace(/\/$/, ''),
    issuer: new URL(authorizationUrl).origin,
  });
}

/** Microsoft: one issuer for all tenants. */
function providerC(config: Config, providers: IdentityProviders): SocialOpener | null {
  const client = clientOf(config, 'C');
  if (!client) return null;
  return openIdLogin(providers, {
    registration: { ...client, issuer: config.ASSAY_OAUTH_C_ISSUER, multiTenant: true },
    prompt: 'select_account',
    edovClaim: 'xms_edov',
  });
}

export function configuredProviders(
  config: Config,
  providers: IdentityProviders,
): Readonly<Record<SocialKind, SocialOpener | null>> {
  return {
    'oauth-a': providerA(config, providers),
    'oauth-b': providerB(config, providers),
    'oauth-c': providerC(config, providers),
  };
}
