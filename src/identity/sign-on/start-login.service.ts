// Begins a login at the provider of an organisation, by its protocol.
import type { Platform } from '../../platform/platform.ts';
import type { ActiveSso } from '../organization/sso-settings/active-sso.service.ts';
import { beginOidcLogin } from './oidc/oidc.service.ts';
import { beginSamlLogin } from './saml/saml.service.ts';
import type { LoginRedirection, LoginStart } from './login/home-realm.service.ts';

/** @throws AppError `IDENTITY_PROVIDER_UNAVAILABLE` */
export function startLogin(
  platform: Platform,
  settings: ActiveSso,
  start: LoginStart,
): Promise<LoginRedirection> {
  const begin = settings.provider === 'oidc' ? beginOidcLogin : beginSamlLogin;
  return begin(platform, settings, start);
}
