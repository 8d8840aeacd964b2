// Validates SAML logout requests and responses (SAML profiles, section 4.4).
import { childrenNamed, type XmlElement } from './xml.ts';
import {
  attributeOf,
  expectAttribute,
  expectBefore,
  expectIssuer,
  expectReached,
  expectRecent,
  onlyChild,
  textOf,
} from './elements.ts';
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
  expectAttribute(message, 'Version', '2.0');
  expectAttribute(message, 'Destination', expected.destination);
  expectReached(message, 'IssueInstant', expected.now);
  expectIssuer(message, expected.issuer);
  return message.name === 'LogoutRequest' ? readRequest(message, expected) : readResponse(message);
}

function readRequest(message: XmlElement, { now }: LogoutExpectation): LogoutMessage {
  expectRecent(message, 'IssueInstant', { now, ageMs: REQUEST_AGE_MS });
  if (message.attributes.has('NotOnOrAfter')) expectBefore(message, 'NotOnOrAfter', now);
  return {
    kind: 'request',
    id: attributeOf(message, 'ID'),
    nameId: textOf(onlyChild(message, ASSERTION, 'NameID')),
    sessionIndexes: childrenNamed(message, PROTOCOL, 'SessionIndex').map(textOf),
  };
}

function readResponse(message: XmlElement): LogoutMessage {
  const statusCode = onlyChild(onlyChild(message, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode');
  return {
    kind: 'response',
    inResponseTo: attributeOf(message, 'InResponseTo'),
    isSuccess: attributeOf(statusCode, 'Value') === SUCCESS,
  };
}
