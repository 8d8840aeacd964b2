// Validates SAML responses and assertions (SAML profiles, section 4.1.4).
import { childrenNamed, withDescendants, type XmlElement } from './xml.ts';
import {
  attributeOf,
  expectAttribute,
  expectBefore,
  expectIssuer,
  expectReached,
  instantIn,
  onlyChild,
  optionalChild,
  textOf,
} from './elements.ts';
import { ASSERTION, BEARER, PROTOCOL, SUCCESS, TRANSIENT_NAME } from './names.ts';
import { failSaml, SamlError } from './saml-error.ts';

/** What a response is checked against. */
export interface ResponseExpectation {
  /** Entity id of the organisation's identity provider. */
  issuer: string;
  /** The service provider's entity id for the organisation. */
  audience: string;
  /** The assertion consumer service. */
  recipient: string;
  /** The id of the authentication request. */
  inResponseTo: string;
  /** Whether a SessionIndex is required, which single logout needs. */
  needsSessionIndex: boolean;
  now: Date;
}

/** The contents of a validated assertion. */
export interface Assertion {
  id: string;
  nameId: string;
  nameIdFormat: string | null;
  sessionIndex: string | null;
  /** When the session at the identity provider ends; null: it does not say. */
  sessionEndsAt: Date | null;
  /** All values of each attribute, by name. */
  attributes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Validates a response around its assertion; returns the one Assertion or EncryptedAssertion.
 * @throws SamlError
 */
export function assertionHolder(response: XmlElement, expected: ResponseExpectation): XmlElement {
  if (response.namespace !== PROTOCOL || response.name !== 'Response')
    failSaml('Message is not a SAML response');
  expectAttribute(response, 'Version', '2.0');
  attributeOf(response, 'ID');
  expectAttribute(response, 'Destination', expected.recipient);
  expectReached(response, 'IssueInstant', expected.now);
  expectIssuer(response, expected.issuer);
  expectSuccess(response, expected);
  expectAttribute(response, 'InResponseTo', expected.inResponseTo);
  const [holder, ...more] = [...withDescendants(response)].filter(({ name }) =>
    /^(Encrypted)?Assertion$/.test(name),
  );
  if (!holder) return failSaml('Response has no assertion');
  if (more.length > 0 || holder.namespace !== ASSERTION || !response.children.includes(holder))
    failSaml('Response has more than one assertion, or one in the wrong place');
  return holder;
}

/** Some providers refuse without naming the request. Nothing but the refusal is believed of such a response. */
function expectSuccess(response: XmlElement, { inResponseTo }: ResponseExpectation): void {
  const code = onlyChild(onlyChild(response, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode');
  if (attributeOf(code, 'Value') === SUCCESS) return;
  if (response.attributes.has('InResponseTo'))
    expectAttribute(response, 'InResponseTo', inResponseTo);
  const codes = [...withDescendants(code)].map(statusName).slice(0, MAX_STATUS_CODES);
  const reason = 'Identity provider reports that authentication failed';
  throw new SamlError(`${reason} (${codes.join(', ')})`, true);
}

/** The two levels that SAML defines. */
const MAX_STATUS_CODES = 2;

/** A status as SAML names it, such as `RequestDenied`; what else a provider writes there is not repeated. */
const statusName = ({ attributes }: XmlElement): string =>
  /^urn:oasis:names:tc:SAML:2\.0:status:([A-Za-z]{1,40})$/.exec(
    attributes.get('Value') ?? '',
  )?.[1] ?? 'another status';

/**
 * Validates an assertion with a verified signature.
 * @throws SamlError
 */
export function readAssertion(assertion: XmlElement, expected: ResponseExpectation): Assertion {
  expectAttribute(assertion, 'Version', '2.0');
  expectReached(assertion, 'IssueInstant', expected.now);
  expectIssuer(assertion, expected.issuer);
  expectConditions(onlyChild(assertion, ASSERTION, 'Conditions'), expected);
  const subject = onlyChild(assertion, ASSERTION, 'Subject');
  expectConfirmation(onlyChild(subject, ASSERTION, 'SubjectConfirmation'), expected);
  const statement = onlyChild(assertion, ASSERTION, 'AuthnStatement');
  return {
    id: attributeOf(assertion, 'ID'),
    ...readNameId(onlyChild(subject, ASSERTION, 'NameID')),
    sessionIndex: readSessionIndex(statement, expected),
    sessionEndsAt: readSessionEnd(statement, expected),
    attributes: readAttributes(assertion),
  };
}

function expectConfirmation(
  confirmation: XmlElement,
  { recipient, inResponseTo, now }: ResponseExpectation,
): void {
  expectAttribute(confirmation, 'Method', BEARER);
  const data = onlyChild(confirmation, ASSERTION, 'SubjectConfirmationData');
  expectAttribute(data, 'Recipient', recipient);
  expectAttribute(data, 'InResponseTo', inResponseTo);
  expectBefore(data, 'NotOnOrAfter', now);
  if (data.attributes.has('NotBefore')) expectReached(data, 'NotBefore', now);
}

const CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];

function expectConditions(conditions: XmlElement, { audience, now }: ResponseExpectation): void {
  if (conditions.attributes.has('NotBefore')) expectReached(conditions, 'NotBefore', now);
  expectBefore(conditions, 'NotOnOrAfter', now);
  if (
    !conditions.children.every(
      ({ namespace, name }) => namespace === ASSERTION && CONDITIONS.includes(name),
    )
  )
    failSaml('Assertion has an unknown condition');
  const restrictions = childrenNamed(conditions, ASSERTION, 'AudienceRestriction');
  const isForUs = (restriction: XmlElement): boolean =>
    childrenNamed(restriction, ASSERTION, 'Audience').some(
      (element) => textOf(element) === audience,
    );
  if (restrictions.length === 0 || !restrictions.every(isForUs))
    failSaml('Assertion is for another audience');
}

function readNameId(element: XmlElement): Pick<Assertion, 'nameId' | 'nameIdFormat'> {
  const nameIdFormat = element.attributes.get('Format') ?? null;
  if (nameIdFormat === TRANSIENT_NAME)
    failSaml('NameID is transient and cannot identify an account');
  return { nameId: textOf(element), nameIdFormat };
}

function readSessionIndex(
  statement: XmlElement,
  { needsSessionIndex, now }: ResponseExpectation,
): string | null {
  expectReached(statement, 'AuthnInstant', now);
  return needsSessionIndex
    ? attributeOf(statement, 'SessionIndex')
    : (statement.attributes.get('SessionIndex') ?? null);
}

function readSessionEnd(statement: XmlElement, { now }: ResponseExpectation): Date | null {
  if (!statement.attributes.has('SessionNotOnOrAfter')) return null;
  expectBefore(statement, 'SessionNotOnOrAfter', now);
  return new Date(instantIn(statement, 'SessionNotOnOrAfter'));
}

function readAttributes(assertion: XmlElement): Map<string, string[]> {
  const statement = optionalChild(assertion, ASSERTION, 'AttributeStatement');
  const values = new Map<string, string[]>();
  for (const attribute of statement ? childrenNamed(statement, ASSERTION, 'Attribute') : []) {
    const name = attributeOf(attribute, 'Name');
    const own = childrenNamed(attribute, ASSERTION, 'AttributeValue').filter(
      ({ children }) => children.length === 0,
    );
    values.set(name, [...(values.get(name) ?? []), ...own.map(({ text }) => text)]);
  }
  return values;
}
