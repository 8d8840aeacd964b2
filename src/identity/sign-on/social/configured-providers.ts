// Creates the configured social login providers, with our client at each.
import {
  createIdentityProviders,
  type IdentityProviders,
} from '../../../platform/outbound/identity-providers.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  createGitHubLogin,
  createOpenIdLogin,
  type SocialOpener,
} from './social-providers.service.ts';
import type { SocialKind } from './social.service.ts';

type Config = Platform['config'];
type Letter = 'A' | 'B' | 'C';

/** Null: not configured. */
function readClient(config: Config, letter: Letter) {
  const clientId = config[`ASSAY_OAUTH_${letter}_CLIENT_ID`];
  const clientSecret = config[`ASSAY_OAUTH_${letter}_CLIENT_SECRET`];
  return clientId !== undefined && clientSecret !== undefined ? { clientId, clientSecret } : null;
}

/** Google, or another OpenID provider. */
function createProviderA(config: Config, providers: IdentityProviders): SocialOpener | null {
  const client = readClient(config, 'A');
  if (!client) return null;
  return createOpenIdLogin(providers, {
    registration: { ...client, issuer: config.ASSAY_OAUTH_A_ISSUER },
  });
}

/** GitHub, or a compatible provider. */
function createProviderB(config: Config, providers: IdentityProviders): SocialOpener | null {
  const client = readClient(config, 'B');
  if (!client) return null;
  const authorizationUrl = config.ASSAY_OAUTH_B_AUTHORIZATION_URL;
  return createGitHubLogin(providers, {
    ...client,
    authorizationUrl,
    tokenUrl: config.ASSAY_OAUTH_B_TOKEN_URL,
    apiUrl: config.ASSAY_OAUTH_B_API_URL.replace(/\/$/, ''),
    issuer: new URL(authorizationUrl).origin,
  });
}

/** Microsoft: one issuer for all tenants. */
function createProviderC(config: Config, providers: IdentityProviders): SocialOpener | null {
  const client = readClient(config, 'C');
  if (!client) return null;
  return createOpenIdLogin(providers, {
    registration: { ...client, issuer: config.ASSAY_OAUTH_C_ISSUER, multiTenant: true },
    prompt: 'select_account',
    edovClaim: 'xms_edov',
  });
}

function createSocialProviders(
  config: Config,
  providers: IdentityProviders,
): Readonly<Record<SocialKind, SocialOpener | null>> {
  return {
    'oauth-a': createProviderA(config, providers),
    'oauth-b': createProviderB(config, providers),
    'oauth-c': createProviderC(config, providers),
  };
}

/** The clients of the installation; users may not name their addresses. */
export const openSocialProviders = perInstance(({ config, fetch, clock }) =>
  createSocialProviders(config, createIdentityProviders({ fetch, clock })),
);
