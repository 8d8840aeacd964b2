// What a SAML logout message must say before a session is ended by it (SAML profiles, section 4.4).
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
  /** Our address for logout messages of this organisation, which no other has. */
  destination: string;
  now: Date;
}

export type LogoutMessage =
  | {
      kind: 'request';
      id: string;
      nameId: string;
      /** Empty: every session of the person. */ sessionIndexes: string[];
    }
  | { kind: 'response'; inResponseTo: string; isSuccess: boolean };

/** A request that travels longer than a person waits is somebody's recording. */
const REQUEST_AGE_MS = 5 * 60_000;

/**
 * Reads a logout message whose signature has been verified.
 * @throws SamlRefusal
 */
export function readLogout(message: XmlElement, expected: LogoutExpectation): LogoutMessage {
  if (message.namespace !== PROTOCOL || !/^Logout(Request|Response)$/.test(message.name))
    failSaml('The message is no SAML logout');
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
