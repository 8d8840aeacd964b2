// Proposes SAML settings from the metadata of an identity provider, given as a document or fetched; saves nothing.
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import {
  type CertificateFacts,
  readCertificateFacts,
  findCertificateProblem,
} from '../../../domain/identity/certificates.ts';
import { readProviderMetadata } from '../../../domain/saml/provider-metadata.ts';
import { SamlError } from '../../../domain/saml/saml-error.ts';
import { AppError } from '../../../errors.ts';
import type { metadataInput } from './sso-settings.schemas.ts';

type Deps = Pick<Platform, 'http' | 'clock'>;

/** The `saml` member of `PUT`, with certificates described. */
export interface ProposedSamlSettings {
  entityId: string;
  ssoUrl: string;
  sloUrl: string | null;
  certificates: CertificateFacts[];
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const NOT_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';
/** The settings hold two, so that one can replace the other; the newest are chosen. */
const MOST_CERTIFICATES = 2;

export function createProviderMetadataService({ http, clock }: Deps) {
  function chooseCertificates(certificates: readonly string[]): CertificateFacts[] {
    const problems = certificates.map((text) => findCertificateProblem(text, clock.now()));
    const usable = certificates
      .filter((_, index) => problems[index] === null)
      .map(readCertificateFacts);
    if (usable.length === 0)
      throw new AppError('VALIDATION_ERROR', `Certificate in the metadata ${problems[0] ?? ''}`);
    return usable
      .sort((one, other) => other.validTo.getTime() - one.validTo.getTime())
      .slice(0, MOST_CERTIFICATES);
  }

  return {
    /**
     * Returns the document, or fetches it from its URL.
     * @throws AppError `SSRF_BLOCKED`, `IDENTITY_PROVIDER_UNAVAILABLE`
     */
    async fetch({ xml, url }: z.output<typeof metadataInput>): Promise<string> {
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
    },

    /** @throws AppError `VALIDATION_ERROR` for unusable metadata, `SSRF_BLOCKED` for forbidden addresses in it */
    readMetadata(xml: string): ProposedSamlSettings {
      try {
        const { entityId, ssoUrl, sloUrl, certificates } = readProviderMetadata(xml, clock.now());
        for (const address of [ssoUrl, sloUrl]) if (address !== null) http.inspect(address);
        return { entityId, ssoUrl, sloUrl, certificates: chooseCertificates(certificates) };
      } catch (error) {
        if (!(error instanceof SamlError)) throw error;
        throw new AppError('VALIDATION_ERROR', error.message, { cause: error });
      }
    },
  };
}
export type ProviderMetadataService = ReturnType<typeof createProviderMetadataService>;
