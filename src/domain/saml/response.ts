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
  optionalAttribute,
  textOf,
  trimBlanks,
} from './elements.ts';
import { ASSERTION, BEARER, PROTOCOL, SUCCESS, TRANSIENT_NAME } from './names.ts';
import { failSaml, SamlError } from './saml-error.ts';
import { isSigned } from './signature.ts';

/** The expected values of a response. */
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
  /** The end of the session at the identity provider; null: not stated. */
  sessionEndsAt: Date | null;
  /** All values of each attribute that are text, by name. */
  attributes: ReadonlyMap<string, readonly string[]>;
  /** Attributes with a value that is not text. */
  structured: ReadonlySet<string>;
  /** Whether there are attributes that cannot be read at all. */
  hasEncryptedAttributes: boolean;
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
  // SAML bindings, section 3.5.5.2: a signed message must have one. An assertion names its recipient itself.
  if (isSigned(response) || response.attributes.has('Destination'))
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

/** Some providers refuse without naming the request; only the refusal of such a response is trusted. */
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

/** A status of the SAML standard, such as `RequestDenied`; any other text of the provider is not repeated. */
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
  expectConfirmed(subject, expected);
  const statement = onlyChild(assertion, ASSERTION, 'AuthnStatement');
  return {
    id: attributeOf(assertion, 'ID'),
    ...readNameId(onlyChild(subject, ASSERTION, 'NameID')),
    sessionIndex: readSessionIndex(statement, expected),
    sessionEndsAt: readSessionEnd(statement, expected),
    ...readAttributes(assertion),
  };
}

/** One valid confirmation suffices (SAML core, section 2.4.1; SAML profiles, section 4.1.4.2). */
function expectConfirmed(subject: XmlElement, expected: ResponseExpectation): void {
  const confirmations = childrenNamed(subject, ASSERTION, 'SubjectConfirmation');
  if (confirmations.length === 0) failSaml('Subject has no SubjectConfirmation');
  const problems: string[] = [];
  for (const confirmation of confirmations)
    try {
      return expectConfirmation(confirmation, expected);
    } catch (error) {
      if (!(error instanceof SamlError)) throw error;
      problems.push(error.message);
    }
  failSaml([...new Set(problems)].slice(0, MAX_PROBLEMS).join('; '));
}

/** The number of problems with confirmations in the reason for a refusal. */
const MAX_PROBLEMS = 3;

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
  const nameIdFormat = optionalAttribute(element, 'Format');
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
    : optionalAttribute(statement, 'SessionIndex');
}

function readSessionEnd(statement: XmlElement, { now }: ResponseExpectation): Date | null {
  if (!statement.attributes.has('SessionNotOnOrAfter')) return null;
  expectBefore(statement, 'SessionNotOnOrAfter', now);
  return new Date(instantIn(statement, 'SessionNotOnOrAfter'));
}

type Attributes = Pick<Assertion, 'attributes' | 'structured' | 'hasEncryptedAttributes'>;

function readAttributes(assertion: XmlElement): Attributes {
  const statements = childrenNamed(assertion, ASSERTION, 'AttributeStatement');
  const attributes = new Map<string, string[]>();
  const structured = new Set<string>();
  for (const attribute of statements.flatMap((each) =>
    childrenNamed(each, ASSERTION, 'Attribute'),
  )) {
    const name = attributeOf(attribute, 'Name');
    const values = childrenNamed(attribute, ASSERTION, 'AttributeValue');
    const texts = values.filter(({ children }) => children.length === 0);
    if (texts.length < values.length) structured.add(name);
    const before = attributes.get(name) ?? [];
    attributes.set(name, [...before, ...texts.map(({ text }) => trimBlanks(text))]);
  }
  const hasEncryptedAttributes = statements.some(
    (each) => childrenNamed(each, ASSERTION, 'EncryptedAttribute').length > 0,
  );
  return { attributes, structured, hasEncryptedAttributes };
}
