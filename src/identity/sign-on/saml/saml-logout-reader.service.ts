// Reads SAML logout messages of both bindings; they must be signed by the provider and addressed to the organisation.
import type { z } from 'zod';
import {
  type LogoutMessage,
  type MessageMember,
  type RedirectedMessage,
  SamlError,
  type SamlRedirect,
} from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import type { SamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { AppError } from '../../../errors.ts';
import type { SamlReaderWorker } from '../../../platform/saml/saml-reader-worker.ts';
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
  function openRedirect(query: string, certificates: readonly string[]): RedirectedMessage {
    try {
      return redirect.open(query, certificates);
    } catch (error) {
      if (error instanceof SamlError)
        throw new AppError('TOKEN_VERIFICATION_FAILED', error.message);
      throw error;
    }
  }

  function openDelivery(delivery: LogoutDelivery, certificates: readonly string[]): OpenDelivery {
    if ('rawQuery' in delivery) {
      const { member, relayState, xml } = openRedirect(delivery.rawQuery, certificates);
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
