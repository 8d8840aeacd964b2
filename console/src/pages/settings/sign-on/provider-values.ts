// The settings of a sign-on as one form holds them.
import type { components } from '../../../api/schema.gen.d.ts';

type Settings = components['schemas']['SignOnSettings']['settings'];
type Input = components['schemas']['SignOnSettingsInput'];
type Certificate = components['schemas']['Certificate'];

export interface ProviderValues {
  provider: 'oidc' | 'saml';
  requireSso: boolean;
  justInTime: boolean;
  requireMfaEvenWithSso: boolean;
  issuer: string;
  clientId: string;
  clientSecret: string;
  groupsClaim: string;
  entityId: string;
  ssoUrl: string;
  sloUrl: string;
  /** Those that the service has read. */
  certificates: Certificate[];
  /** One that the person enters. */
  pem: string;
}

export const toValues = (settings: Settings): ProviderValues => ({
  provider: settings?.provider ?? 'oidc',
  requireSso: settings?.requireSso ?? false,
  justInTime: settings?.justInTime ?? false,
  requireMfaEvenWithSso: settings?.requireMfaEvenWithSso ?? false,
  issuer: settings?.oidc?.issuer ?? '',
  clientId: settings?.oidc?.clientId ?? '',
  clientSecret: '',
  groupsClaim: settings?.oidc?.groupsClaim ?? '',
  entityId: settings?.saml?.entityId ?? '',
  ssoUrl: settings?.saml?.ssoUrl ?? '',
  sloUrl: settings?.saml?.sloUrl ?? '',
  certificates: settings?.saml?.certificates ?? [],
  pem: '',
});

/** What the form does not show stays as it is. */
function toSaml(values: ProviderValues, settings: Settings): Input['saml'] {
  const { entityId, ssoUrl, sloUrl, certificates, pem } = values;
  const { nameIdFormat, emailAttribute, nameAttribute, groupsAttribute } = settings?.saml ?? {};
  return {
    ...({ nameIdFormat, emailAttribute, nameAttribute, groupsAttribute } as object),
    entityId,
    ssoUrl,
    ...(sloUrl !== '' && { sloUrl }),
    certificates: pem.trim() === '' ? certificates : [pem.trim()],
  };
}

function toOidc(values: ProviderValues, settings: Settings): Input['oidc'] {
  const { issuer, clientId, clientSecret, groupsClaim } = values;
  return {
    ...(settings?.oidc && { subjectClaim: settings.oidc.subjectClaim }),
    issuer,
    clientId,
    ...(clientSecret !== '' && { clientSecret }),
    ...(groupsClaim !== '' && { groupsClaim }),
  };
}

export function toInput(values: ProviderValues, settings: Settings): Input {
  const { provider, requireSso, justInTime, requireMfaEvenWithSso } = values;
  const protocol =
    provider === 'saml' ? { saml: toSaml(values, settings) } : { oidc: toOidc(values, settings) };
  return { provider, requireSso, justInTime, requireMfaEvenWithSso, ...protocol };
}
