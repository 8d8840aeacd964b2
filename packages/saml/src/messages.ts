// Builds SAML messages: authentication requests, logout requests and responses, and service provider metadata.
import { escapeXml } from './xml/xml.ts';
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
  /** The service provider's entity id. */
  issuer: string;
  destination: string;
  now: Date;
}

type Content = readonly string[];

/** An element; attributes of value null are omitted. */
function createElement(
  name: string,
  attributes: Readonly<Record<string, string | null>>,
  content: Content = [],
): string {
  const attributeTexts = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${escapeXml(value)}"`],
  );
  return `<${name}${attributeTexts.join('')}>${content.join('')}</${name}>`;
}

function createMessage(
  name: string,
  envelope: Envelope,
  { attributes, content }: { attributes: Record<string, string>; content: Content },
) {
  const { id, issuer, destination, now } = envelope;
  return createElement(
    `samlp:${name}`,
    {
      'xmlns:samlp': PROTOCOL,
      'xmlns:saml': ASSERTION,
      ID: id,
      Version: '2.0',
      IssueInstant: now.toISOString(),
      Destination: destination,
      ...attributes,
    },
    [createElement('saml:Issuer', {}, [escapeXml(issuer)]), ...content],
  );
}

/** An authentication request. `nameIdFormat`: null or unspecified requests no format. */
export function createAuthnRequest(
  envelope: Envelope,
  assertionConsumer: string,
  nameIdFormat: string | null,
): string {
  const Format = nameIdFormat === UNSPECIFIED_NAME ? null : nameIdFormat;
  return createMessage('AuthnRequest', envelope, {
    attributes: { ProtocolBinding: HTTP_POST, AssertionConsumerServiceURL: assertionConsumer },
    content: [createElement('samlp:NameIDPolicy', { Format, AllowCreate: 'true' })],
  });
}

/** The validity of a logout request. */
const LOGOUT_REQUEST_MS = 5 * 60_000;

/** A session at the identity provider. */
export interface ProviderSession {
  subject: string;
  format: string | null;
  sessionIndex: string | null;
  otherIndexes?: readonly string[];
}

/** A request to end a session at the identity provider. */
export function createLogoutRequest(
  envelope: Envelope,
  { subject, format, sessionIndex, otherIndexes = [] }: ProviderSession,
): string {
  return createMessage('LogoutRequest', envelope, {
    attributes: {
      NotOnOrAfter: new Date(envelope.now.getTime() + LOGOUT_REQUEST_MS).toISOString(),
    },
    content: [
      createElement('saml:NameID', { Format: format }, [escapeXml(subject)]),
      ...(sessionIndex === null ? [] : [sessionIndex, ...otherIndexes]).map((index) =>
        createElement('samlp:SessionIndex', {}, [escapeXml(index)]),
      ),
    ],
  });
}

/** The response to a logout request: success. */
export function createLogoutResponse(envelope: Envelope, inResponseTo: string): string {
  return createMessage('LogoutResponse', envelope, {
    attributes: { InResponseTo: inResponseTo },
    content: [
      createElement('samlp:Status', {}, [createElement('samlp:StatusCode', { Value: SUCCESS })]),
    ],
  });
}

export interface ServiceProvider {
  entityId: string;
  assertionConsumer: string;
  singleLogout: string;
  /** PEM; null: requests are not signed, and assertions must not be encrypted. */
  certificate: string | null;
}

const ENCRYPTION_METHODS = [
  `${ENCRYPTION_11}aes256-gcm`,
  `${ENCRYPTION_11}aes128-gcm`,
  `${ENCRYPTION}aes256-cbc`,
  `${ENCRYPTION}aes128-cbc`,
  `${ENCRYPTION}rsa-oaep-mgf1p`,
  `${ENCRYPTION_11}rsa-oaep`,
];

function createKeyDescriptor(use: 'signing' | 'encryption', certificate: string): string {
  const base64 = certificate.replace(/-----[^-]+-----|\s/g, '');
  const data = createElement('ds:X509Data', {}, [
    createElement('ds:X509Certificate', {}, [base64]),
  ]);
  const methods = ENCRYPTION_METHODS.map((Algorithm) =>
    createElement('md:EncryptionMethod', { Algorithm }),
  );
  return createElement('md:KeyDescriptor', { use }, [
    createElement('ds:KeyInfo', { 'xmlns:ds': SIGNATURE }, [data]),
    ...(use === 'encryption' ? methods : []),
  ]);
}

/** The service provider's metadata for an organisation. */
export function createServiceProviderMetadata({
  entityId,
  assertionConsumer,
  singleLogout,
  certificate,
}: ServiceProvider): string {
  const createLogoutService = (Binding: string): string =>
    createElement('md:SingleLogoutService', { Binding, Location: singleLogout });
  const formats = [PERSISTENT_NAME, EMAIL_NAME, UNSPECIFIED_NAME];
  const consumer = {
    Binding: HTTP_POST,
    Location: assertionConsumer,
    index: '0',
    isDefault: 'true',
  };
  const descriptor = createElement(
    'md:SPSSODescriptor',
    {
      AuthnRequestsSigned: String(certificate !== null),
      WantAssertionsSigned: 'true',
      protocolSupportEnumeration: PROTOCOL,
    },
    [
      ...(certificate === null
        ? []
        : [
            createKeyDescriptor('signing', certificate),
            createKeyDescriptor('encryption', certificate),
          ]),
      createLogoutService(HTTP_REDIRECT),
      createLogoutService(HTTP_POST),
      ...formats.map((format) => createElement('md:NameIDFormat', {}, [format])),
      createElement('md:AssertionConsumerService', consumer),
    ],
  );
  const root = createElement('md:EntityDescriptor', { 'xmlns:md': METADATA, entityID: entityId }, [
    descriptor,
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}
