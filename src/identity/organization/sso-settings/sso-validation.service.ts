// Validates SSO settings before they are saved, and converts client secret and certificates to their stored form.
import type { z } from 'zod';
import { readCertificateFacts, findCertificateProblem } from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { OidcSettings, SamlSettings, SsoConfig } from '../organization.model.ts';
import { toClientSecretAad } from './client-secret.ts';
import type { ssoInput } from './sso-settings.schemas.ts';

export type SsoInput = z.output<typeof ssoInput>;

/**
 * The issuer is checked by DNS too, because the server calls it; browsers open the SAML addresses.
 * @throws AppError `SSRF_BLOCKED`
 */
export async function checkSsoAddresses(
  { http }: Platform,
  { oidc, saml }: SsoInput,
): Promise<void> {
  for (const address of [saml?.ssoUrl, saml?.sloUrl]) if (address != null) http.inspect(address);
  if (oidc) await http.check(oidc.issuer);
}

/** @throws AppError `VALIDATION_ERROR` */
export function toSsoConfig(
  platform: Platform,
  organizationId: string,
  { input, before }: { input: SsoInput; before: SsoConfig | null },
): SsoConfig {
  const oidc =
    input.oidc && encryptSecret(platform, organizationId, input.oidc, before?.oidc ?? null);
  const saml = input.saml && normalizeCertificates(platform, input.saml);
  return { ...input, oidc, saml };
}

/** Seals a new secret; without one keeps the stored secret while client and issuer stay the same. */
function encryptSecret(
  { vault }: Platform,
  organizationId: string,
  { clientSecret, hasClientSecret: _, ...rest }: NonNullable<SsoInput['oidc']>,
  before: OidcSettings | null,
): OidcSettings {
  if (clientSecret !== undefined)
    return {
      ...rest,
      clientSecret: vault.encrypt(clientSecret, toClientSecretAad(organizationId)),
    };
  if (before?.issuer !== rest.issuer || before.clientId !== rest.clientId)
    throw new AppError(
      'VALIDATION_ERROR',
      'oidc.clientSecret: required for another issuer or client',
    );
  return { ...rest, clientSecret: before.clientSecret };
}

function normalizeCertificates(
  { clock }: Platform,
  input: NonNullable<SsoInput['saml']>,
): SamlSettings {
  const certificates = input.certificates.map((shown, index) => {
    const pem = typeof shown === 'string' ? shown : shown.pem;
    const problem = findCertificateProblem(pem, clock.now());
    if (problem !== null)
      throw new AppError('VALIDATION_ERROR', `saml.certificates.${index}: ${problem}`);
    return readCertificateFacts(pem).pem;
  });
  return { ...input, certificates };
}
