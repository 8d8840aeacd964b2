// Reads SAML logout messages of both bindings; they must be signed by the provider and addressed to the organisation.
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { SamlEndpoints } from '../../../domain/saml/endpoints.ts';
import type { LogoutMessage } from '../../../domain/saml/logout.ts';
import { AppError } from '../../../errors.ts';
import type { SamlReaderWorker } from '../../../platform/saml/saml-reader-worker.ts';
import type { MessageMember, SamlRedirect } from '../../../platform/saml/saml-redirect.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import type { logoutForm } from './saml.schemas.ts';

interface Deps {
  reader: SamlReaderWorker;
  redirect: SamlRedirect;
  endpoints: SamlEndpoints;
}

/** A message by HTTP-POST, or by HTTP-Redirect, whose signature covers the raw query. */
export type LogoutDelivery = { form: z.output<typeof logoutForm> } | { rawQuery: string };

export interface ReceivedLogout<M extends LogoutMessage = LogoutMessage> {
  message: M;
  relayState: string;
}

/** A message before it is parsed; by HTTP-Redirect its signature is already verified. */
interface OpenDelivery {
  member: MessageMember;
  relayState: string;
  message: { base64: string } | { verifiedXml: string };
}

export function createSamlLogoutReader(
  { clock }: Pick<Platform, 'clock'>,
  { reader, redirect, endpoints }: Deps,
) {
  function openDelivery(delivery: LogoutDelivery, certificates: readonly string[]): OpenDelivery {
    if ('rawQuery' in delivery) {
      const { member, relayState, xml } = redirect.open(delivery.rawQuery, certificates);
      return { member, relayState, message: { verifiedXml: xml } };
    }
    const { SAMLRequest, SAMLResponse, RelayState: relayState } = delivery.form;
    if ((SAMLRequest === '') === (SAMLResponse === ''))
      throw new AppError('TOKEN_VERIFICATION_FAILED', 'Form has no SAML message, or two');
    const member = SAMLRequest === '' ? 'SAMLResponse' : 'SAMLRequest';
    return { member, relayState, message: { base64: SAMLRequest || SAMLResponse } };
  }

  return {
    /** @throws AppError `TOKEN_VERIFICATION_FAILED` */
    async readLogout(
      organizationId: string,
      { entityId, certificates }: SamlSettings,
      delivery: LogoutDelivery,
    ): Promise<ReceivedLogout> {
      const { member, relayState, message } = openDelivery(delivery, certificates);
      const read = await reader.readLogout(organizationId, {
        certificates,
        issuer: entityId,
        destination: endpoints.singleLogout(organizationId),
        now: clock.now(),
        message,
      });
      if (read.kind !== (member === 'SAMLRequest' ? 'request' : 'response'))
        throw new AppError(
          'TOKEN_VERIFICATION_FAILED',
          'Request was sent as SAMLResponse, or response as SAMLRequest',
        );
      return { message: read, relayState };
    },
  };
}
export type SamlLogoutReader = ReturnType<typeof createSamlLogoutReader>;
