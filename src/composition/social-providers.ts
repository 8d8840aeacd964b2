// The social logins that the configuration gives: who is asked, and as which client.
import { createIdentityProviders } from '../platform/outbound/identity-providers.ts';
import { gitHubLogin, openIdLogin } from '../resources/sign-on/social/social-providers.service.ts';
import type { SocialKind } from '../resources/sign-on/social/social.service.ts';
import type { SocialOpener } from '../resources/sign-on/social/social-providers.service.ts';
import type { Platform } from './platform.ts';

/** The installation chose these addresses itself, so they may lead anywhere. */
export function socialProviders({
  config,
  clock,
  fetch,
}: Platform): Partial<Record<SocialKind, SocialOpener>> {
  const providers = createIdentityProviders({ fetch, clock });
  const client = (letter: 'A' | 'B' | 'C') => {
    const [clientId, clientSecret] = [
      config[`ASSAY_OAUTH_${letter}_CLIENT_ID`],
      config[`ASSAY_OAUTH_${letter}_CLIENT_SECRET`],
    ];
    return clientId !== undefined && clientSecret !== undefined ? { clientId, clientSecret } : null;
  };
  const [a, b, c] = [client('A'), client('B'), client('C')];
  const apiUrl = config.ASSAY_OAUTH_B_API_URL.replace(/\/$/, '');
  const [authorizationUrl, tokenUrl] = [
    config.ASSAY_OAUTH_B_AUTHORIZATION_URL,
    config.ASSAY_OAUTH_B_TOKEN_URL,
  ];
  return {
    ...(a && {
      'oauth-a': openIdLogin(providers, {
        registration: { ...a, issuer: config.ASSAY_OAUTH_A_ISSUER },
      }),
    }),
    ...(b && {
      'oauth-b': gitHubLogin(providers, {
        ...b,
        authorizationUrl,
        tokenUrl,
        apiUrl,
        issuer: new URL(authorizationUrl).origin,
      }),
    }),
    ...(c && {
      'oauth-c': openIdLogin(providers, {
        registration: { ...c, issuer: config.ASSAY_OAUTH_C_ISSUER, shared: true },
        prompt: 'select_account',
        edovClaim: 'xms_edov',
      }),
    }),
  };
}
