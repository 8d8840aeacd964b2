// The SAML messages that we write: what we ask an identity provider, what we answer it, and who we say we are.
import { escapeXml } from './xml.ts';
import {
  ASSERTION,
  EMAIL_NAME,
  ENCRYPTION,
  ENCRYPTION_11,
  HTTP_POST,
  HTTP_REDIRECT,
  METADATA,
  PERSISTENT_NAME,
  PROTOCOL,
  SIGNATURE,
  SUCCESS,
  UNSPECIFIED_NAME,
} from './names.ts';

interface Envelope {
  id: string;
  /** Our entity id for the organisation. */
  issuer: string;
  /** Where the message goes. */
  destination: string;
  now: Date;
}

type Content = readonly string[];

/** An element; `null` leaves an attribute out. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | null>>,
  content: Content = [],
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${escapeXml(value)}"`],
  );
  return `<${name}${written.join('')}>${content.join('')}</${name}>`;
}

function message(
  name: string,
  envelope: Envelope,
  { more = {}, content }: { more?: Record<string, string>; content: Content },
) {
  const { id, issuer, destination, now } = envelope;
  return element(
    `samlp:${name}`,
    {
      'xmlns:samlp': PROTOCOL,
      'xmlns:saml': ASSERTION,
      ID: id,
      Version: '2.0',
      IssueInstant: now.toISOString(),
      Destination: destination,
      ...more,
    },
    [element('saml:Issuer', {}, [escapeXml(issuer)]), ...content],
  );
}

/** Asks for a sign-on; whatever name the provider knows people by will do. */
export function authnRequest(envelope: Envelope, assertionConsumer: string): string {
  return message('AuthnRequest', envelope, {
    more: { ProtocolBinding: HTTP_POST, AssertionConsumerServiceURL: assertionConsumer },
    content: [element('samlp:NameIDPolicy', { AllowCreate: 'true' })],
  });
}

/** For how long a logout request is good. */
const LOGOUT_MS = 5 * 60_000;

export interface SignedOn {
  subject: string;
  format: string | null;
  sessionIndex: string | null;
}

/** Asks to end somebody's session at the provider. */
export function logoutRequest(
  envelope: Envelope,
  { subject, format, sessionIndex }: SignedOn,
): string {
  return message('LogoutRequest', envelope, {
    more: { NotOnOrAfter: new Date(envelope.now.getTime() + LOGOUT_MS).toISOString() },
    content: [
      element('saml:NameID', { Format: format }, [escapeXml(subject)]),
      ...(sessionIndex === null
        ? []
        : [element('samlp:SessionIndex', {}, [escapeXml(sessionIndex)])]),
    ],
  });
}

/** Says that the sessions are over. */
export function logoutResponse(envelope: Envelope, inResponseTo: string): string {
  return message('LogoutResponse', envelope, {
    more: { InResponseTo: inResponseTo },
    content: [element('samlp:Status', {}, [element('samlp:StatusCode', { Value: SUCCESS })])],
  });
}

export interface ServiceProvider {
  entityId: string;
  assertionConsumer: string;
  singleLogout: string;
  /** PEM; null: nothing is signed, and nothing can be decrypted. */
  certificate: string | null;
}

const ENCRYPTION_METHODS = [
  `${ENCRYPTION_11}aes256-gcm`,
  `${ENCRYPTION_11}aes128-gcm`,
  `${ENCRYPTION}aes256-cbc`,
  `${ENCRYPTION}aes128-cbc`,
  `${ENCRYPTION}rsa-oaep-mgf1p`,
];

function keyDescriptor(use: 'signing' | 'encryption', certificate: string): string {
  const bare = certificate.replace(/-----[^-]+-----|\s/g, '');
  const data = element('ds:X509Data', {}, [element('ds:X509Certificate', {}, [bare])]);
  const methods = ENCRYPTION_METHODS.map((Algorithm) =>
    element('md:EncryptionMethod', { Algorithm }),
  );
  return element('md:KeyDescriptor', { use }, [
    element('ds:KeyInfo', { 'xmlns:ds': SIGNATURE }, [data]),
    ...(use === 'encryption' ? methods : []),
  ]);
}

/** Our metadata for one organisation; keys are told when there are any. */
export function serviceProviderMetadata({
  entityId,
  assertionConsumer,
  singleLogout,
  certificate,
}: ServiceProvider): string {
  const logout = (Binding: string): string =>
    element('md:SingleLogoutService', { Binding, Location: singleLogout });
  const formats = [PERSISTENT_NAME, EMAIL_NAME, UNSPECIFIED_NAME];
  const consumer = {
    Binding: HTTP_POST,
    Location: assertionConsumer,
    index: '0',
    isDefault: 'true',
  };
  const descriptor = element(
    'md:SPSSODescriptor',
    {
      AuthnRequestsSigned: String(certificate !== null),
      WantAssertionsSigned: 'true',
      protocolSupportEnumeration: PROTOCOL,
    },
    [
      ...(certificate === null
        ? []
        : [keyDescriptor('signing', certificate), keyDescriptor('encryption', certificate)]),
      ...[logout(HTTP_REDIRECT), logout(HTTP_POST)],
      ...formats.map((format) => element('md:NameIDFormat', {}, [format])),
      element('md:AssertionConsumerService', consumer),
    ],
  );
  const root = element('md:EntityDescriptor', { 'xmlns:md': METADATA, entityID: entityId }, [
    descriptor,
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}
