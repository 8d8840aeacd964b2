// Which ways of signing in this installation has, so that a sign-in page offers no others.
import type { Platform } from '../../../platform/platform.ts';
import type { SignInOptions } from '../login/sign-on.schemas.ts';

/** Names of well-known providers; another is named by its host. */
const NAMES = new Map([
  ['accounts.google.com', 'Google'],
  ['github.com', 'GitHub'],
  ['login.microsoftonline.com', 'Microsoft'],
]);

function nameProvider(address: string): string {
  const { host } = new URL(address);
  return NAMES.get(host) ?? host;
}

export function listSignInOptions({ config }: Platform): SignInOptions {
  const doors = [
    { id: 'oauth-a', at: config.ASSAY_OAUTH_A_ISSUER, client: config.ASSAY_OAUTH_A_CLIENT_ID },
    {
      id: 'oauth-b',
      at: config.ASSAY_OAUTH_B_AUTHORIZATION_URL,
      client: config.ASSAY_OAUTH_B_CLIENT_ID,
    },
    { id: 'oauth-c', at: config.ASSAY_OAUTH_C_ISSUER, client: config.ASSAY_OAUTH_C_CLIENT_ID },
  ] as const;
  const social = doors
    .filter(({ client }) => client !== undefined)
    .map(({ id, at }) => ({ id, name: nameProvider(at) }));
  return { registration: config.REGISTRATION, social };
}
