// Validates SAML logout requests and responses (SAML profiles, section 4.4).
import { findChildren, type XmlElement } from './xml/xml.ts';
import {
  getAttribute,
  assertAttribute,
  assertNotExpired,
  assertIssuer,
  assertReached,
  assertRecent,
  getOnlyChild,
  getElementText,
} from './xml/elements.ts';
import { ASSERTION, PROTOCOL, SUCCESS } from './names.ts';
import { failSaml } from './saml-error.ts';

export interface LogoutExpectation {
  /** Entity id of the organisation's identity provider. */
  issuer: string;
  /** The single logout service of this organisation. */
  destination: string;
  now: Date;
}

export type LogoutMessage =
  | {
      kind: 'request';
      id: string;
      nameId: string;
      /** Empty: all sessions of the user. */
      sessionIndexes: string[];
    }
  | { kind: 'response'; inResponseTo: string; isSuccess: boolean };

/** The maximum age of a request, against replays. */
const REQUEST_AGE_MS = 5 * 60_000;

/**
 * Validates a logout message with a verified signature.
 * @throws SamlError
 */
export function readLogout(message: XmlElement, expected: LogoutExpectation): LogoutMessage {
  if (message.namespace !== PROTOCOL || !/^Logout(Request|Response)$/.test(message.name))
    failSaml('Message is not a SAML logout request or response');
  assertAttribute(message, 'Version', '2.0');
  assertAttribute(message, 'Destination', expected.destination);
  assertReached(message, 'IssueInstant', expected.now);
  assertIssuer(message, expected.issuer);
  return message.name === 'LogoutRequest' ? readRequest(message, expected) : readResponse(message);
}

function readRequest(message: XmlElement, { now }: LogoutExpectation): LogoutMessage {
  assertRecent(message, 'IssueInstant', { now, ageMs: REQUEST_AGE_MS });
  if (message.attributes.has('NotOnOrAfter')) assertNotExpired(message, 'NotOnOrAfter', now);
  return {
    kind: 'request',
    id: getAttribute(message, 'ID'),
    nameId: getElementText(getOnlyChild(message, ASSERTION, 'NameID')),
    sessionIndexes: findChildren(message, PROTOCOL, 'SessionIndex').map(getElementText),
  };
}

function readResponse(message: XmlElement): LogoutMessage {
  const statusCode = getOnlyChild(
    getOnlyChild(message, PROTOCOL, 'Status'),
    PROTOCOL,
    'StatusCode',
  );
  return {
    kind: 'response',
    inResponseTo: getAttribute(message, 'InResponseTo'),
    isSuccess: getAttribute(statusCode, 'Value') === SUCCESS,
  };
}
