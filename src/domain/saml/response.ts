// What a SAML response must say before anybody is signed on by it (SAML profiles, section 4.1.4).
import { childrenNamed, withDescendants, type XmlElement } from './xml.ts';
import {
  attributeOf,
  expectAttribute,
  expectBefore,
  expectIssuer,
  expectReached,
  onlyChild,
  optionalChild,
  textOf,
} from './elements.ts';
import { ASSERTION, BEARER, PROTOCOL, SUCCESS, TRANSIENT_NAME } from './names.ts';
import { failSaml, SamlError } from './saml-error.ts';

/** What is known before a response is read. */
export interface ResponseExpectation {
  /** Entity id of the organisation's identity provider. */
  issuer: string;
  /** Our entity id for the organisation. */
  audience: string;
  /** Where responses are received. */
  recipient: string;
  /** The request of the attempt. */
  inResponseTo: string;
  /** Whether the session at the provider must have a name, since it can be ended from there. */
  needsSessionIndex: boolean;
  now: Date;
}

/** What an assertion says. */
export interface Assertion {
  id: string;
  nameId: string;
  /** Null: none was given. */
  nameIdFormat: string | null;
  sessionIndex: string | null;
  /** Every value of every attribute, by name. */
  attributes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Checks what surrounds the assertion; answers the one element that holds it, encrypted or not.
 * @throws SamlRefusal
 */
export function assertionHolder(response: XmlElement, expected: ResponseExpectation): XmlElement {
  if (response.namespace !== PROTOCOL || response.name !== 'Response')
    failSaml('The message is no SAML response');
  expectAttribute(response, 'Version', '2.0');
  attributeOf(response, 'ID');
  expectAttribute(response, 'Destination', expected.recipient);
  expectAttribute(response, 'InResponseTo', expected.inResponseTo);
  expectReached(response, 'IssueInstant', expected.now);
  expectIssuer(response, expected.issuer);
  const statusCode = onlyChild(onlyChild(response, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode');
  if (attributeOf(statusCode, 'Value') !== SUCCESS)
    throw new SamlError('The identity provider reports that nobody signed on', true);
  const holders = [...withDescendants(response)].filter(({ name }) =>
    /^(Encrypted)?Assertion$/.test(name),
  );
  const [holder, ...more] = holders;
  if (!holder) return failSaml('The response has no assertion');
  if (more.length > 0 || holder.namespace !== ASSERTION || !response.children.includes(holder))
    failSaml('The response has more than one assertion, or one where none belongs');
  return holder;
}

/**
 * Reads an assertion that has been verified.
 * @throws SamlRefusal
 */
export function readAssertion(assertion: XmlElement, expected: ResponseExpectation): Assertion {
  expectAttribute(assertion, 'Version', '2.0');
  expectReached(assertion, 'IssueInstant', expected.now);
  expectIssuer(assertion, expected.issuer);
  expectConditions(onlyChild(assertion, ASSERTION, 'Conditions'), expected);
  const subject = onlyChild(assertion, ASSERTION, 'Subject');
  expectConfirmation(onlyChild(subject, ASSERTION, 'SubjectConfirmation'), expected);
  return {
    id: attributeOf(assertion, 'ID'),
    ...readName(onlyChild(subject, ASSERTION, 'NameID')),
    sessionIndex: readSessionIndex(onlyChild(assertion, ASSERTION, 'AuthnStatement'), expected),
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
    failSaml('The assertion has a condition that is not understood');
  const restrictions = childrenNamed(conditions, ASSERTION, 'AudienceRestriction');
  const isForUs = (restriction: XmlElement): boolean =>
    childrenNamed(restriction, ASSERTION, 'Audience').some((named) => textOf(named) === audience);
  if (restrictions.length === 0 || !restrictions.every(isForUs))
    failSaml('The assertion is for another audience');
}

function readName(name: XmlElement): Pick<Assertion, 'nameId' | 'nameIdFormat'> {
  const nameIdFormat = name.attributes.get('Format') ?? null;
  if (nameIdFormat === TRANSIENT_NAME)
    failSaml('A transient NameID identifies nobody the next time');
  return { nameId: textOf(name), nameIdFormat };
}

function readSessionIndex(
  statement: XmlElement,
  { needsSessionIndex, now }: ResponseExpectation,
): string | null {
  expectReached(statement, 'AuthnInstant', now);
  if (statement.attributes.has('SessionNotOnOrAfter'))
    expectBefore(statement, 'SessionNotOnOrAfter', now);
  return needsSessionIndex
    ? attributeOf(statement, 'SessionIndex')
    : (statement.attributes.get('SessionIndex') ?? null);
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
