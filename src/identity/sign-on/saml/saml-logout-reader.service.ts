// Reads SAML logout messages of both bindings; they must be signed by the provider and addressed to the organisation.
import type { z } from 'zod';
import {
  type LogoutMessage,
  type MessageMember,
  type RedirectedMessage,
  SamlError,
} from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import { createSamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { AppError } from '../../../errors.ts';
import { openSamlReader } from '../../../platform/saml/saml-reader-worker.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import type { logoutForm } from './saml.schemas.ts';
import { openSamlRedirect } from './saml-redirect.ts';

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

/** @throws AppError `TOKEN_VERIFICATION_FAILED` */
export async function readSamlLogout(
  platform: Platform,
  organizationId: string,
  { settings, delivery }: { settings: SamlSettings; delivery: LogoutDelivery },
): Promise<ReceivedLogout> {
  const { entityId, certificates } = settings;
  const { member, relayState, message } = openDelivery(platform, delivery, certificates);
  const read = await openSamlReader(platform).readLogout(organizationId, {
    certificates,
    issuer: entityId,
    destination: createSamlEndpoints(platform.publicUrl).singleLogout(organizationId),
    now: platform.clock.now(),
    message,
  });
  if (read.kind !== (member === 'SAMLRequest' ? 'request' : 'response'))
    throw new AppError(
      'TOKEN_VERIFICATION_FAILED',
      'Request was sent as SAMLResponse, or response as SAMLRequest',
    );
  return { message: read, relayState };
}

function openRedirect(
  platform: Platform,
  query: string,
  certificates: readonly string[],
): RedirectedMessage {
  try {
    return openSamlRedirect(platform).open(query, certificates);
  } catch (error) {
    if (error instanceof SamlError) throw new AppError('TOKEN_VERIFICATION_FAILED', error.message);
    throw error;
  }
}

function openDelivery(
  platform: Platform,
  delivery: LogoutDelivery,
  certificates: readonly string[],
): OpenDelivery {
  if ('rawQuery' in delivery) {
    const { member, relayState, xml } = openRedirect(platform, delivery.rawQuery, certificates);
    return { member, relayState, message: { verifiedXml: xml } };
  }
  const { SAMLRequest, SAMLResponse, RelayState: relayState } = delivery.form;
  if ((SAMLRequest === '') === (SAMLResponse === ''))
    throw new AppError('TOKEN_VERIFICATION_FAILED', 'Form has no SAML message, or two');
  const member = SAMLRequest === '' ? 'SAMLResponse' : 'SAMLRequest';
  return { member, relayState, message: { base64: SAMLRequest || SAMLResponse } };
}
