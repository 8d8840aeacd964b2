// Proposes SAML settings from the metadata of an identity provider, given as a document or fetched; saves nothing.
import type { z } from 'zod';
import type { ProposedSamlSettings } from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { openSamlReader } from '../../../platform/saml/saml-reader-worker.ts';
import type { metadataInput } from './sso-settings.schemas.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const NOT_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';

/**
 * Returns the document, or fetches it from its URL.
 * @throws AppError `SSRF_BLOCKED`, `IDENTITY_PROVIDER_UNAVAILABLE`
 */
export async function fetchProviderMetadata(
  { http }: Platform,
  { xml, url }: z.output<typeof metadataInput>,
): Promise<string> {
  if (url === undefined) return xml ?? '';
  try {
    const response = await http.fetch(url);
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return UTF8.decode(await response.arrayBuffer());
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (cause instanceof TypeError && 'code' in cause && cause.code === NOT_UTF8)
      throw new AppError('VALIDATION_ERROR', 'Metadata at this address are not UTF-8');
    throw new AppError('IDENTITY_PROVIDER_UNAVAILABLE', 'Metadata cannot be fetched', {
      cause,
    });
  }
}

/**
 * @throws AppError `VALIDATION_ERROR` for unusable metadata, `SSRF_BLOCKED` for forbidden addresses in it,
 * `SERVICE_UNAVAILABLE` when too many wait
 */
export async function proposeSamlSettings(
  platform: Platform,
  organizationId: string,
  xml: string,
): Promise<ProposedSamlSettings> {
  const proposed = await openSamlReader(platform).readMetadata(organizationId, {
    xml,
    now: platform.clock.now(),
  });
  for (const address of [proposed.ssoUrl, proposed.sloUrl])
    if (address !== null) platform.http.inspect(address);
  return proposed;
}
