// Validates SAML responses and assertions (SAML profiles, section 4.1.4).
import { findChildren, withDescendants, type XmlElement } from './xml/xml.ts';
import {
  getAttribute,
  assertAttribute,
  assertNotExpired,
  assertIssuer,
  assertReached,
  getInstant,
  getOnlyChild,
  getOptionalAttribute,
  hasPassed,
  getElementText,
  trimBlanks,
} from './xml/elements.ts';
import { ASSERTION, BEARER, PROTOCOL, SUCCESS, TRANSIENT_NAME } from './names.ts';
import { failSaml, SamlError } from './saml-error.ts';
import { isSigned } from './signatures/signature.ts';

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
  /** Those of further statements: the person has several sessions at the identity provider. */
  otherIndexes: readonly string[];
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
export function extractAssertion(response: XmlElement, expected: ResponseExpectation): XmlElement {
  if (response.namespace !== PROTOCOL || response.name !== 'Response')
    failSaml('Message is not a SAML response');
  assertAttribute(response, 'Version', '2.0');
  getAttribute(response, 'ID');
  // SAML bindings, section 3.5.5.2: a signed message must have one. An assertion names its recipient itself.
  if (isSigned(response) || response.attributes.has('Destination'))
    assertAttribute(response, 'Destination', expected.recipient);
  assertReached(response, 'IssueInstant', expected.now);
  assertIssuer(response, expected.issuer);
  assertSuccess(response, expected);
  assertAttribute(response, 'InResponseTo', expected.inResponseTo);
  const [holder, ...more] = [...withDescendants(response)].filter(({ name }) =>
    /^(Encrypted)?Assertion$/.test(name),
  );
  if (!holder) return failSaml('Response has no assertion');
  if (more.length > 0 || holder.namespace !== ASSERTION || !response.children.includes(holder))
    failSaml('Response has more than one assertion, or one in the wrong place');
  return holder;
}

/** Some providers refuse without naming the request; only the refusal of such a response is trusted. */
function assertSuccess(response: XmlElement, { inResponseTo }: ResponseExpectation): void {
  const code = getOnlyChild(getOnlyChild(response, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode');
  if (getAttribute(code, 'Value') === SUCCESS) return;
  if (response.attributes.has('InResponseTo'))
    assertAttribute(response, 'InResponseTo', inResponseTo);
  const codes = [...withDescendants(code)].map(readStatusName).slice(0, MAX_STATUS_CODES);
  const reason = 'Identity provider reports that authentication failed';
  throw new SamlError(`${reason} (${codes.join(', ')})`, true);
}

/** The two levels that SAML defines. */
const MAX_STATUS_CODES = 2;

/** A status of the SAML standard, such as `RequestDenied`; any other text of the provider is not repeated. */
const readStatusName = ({ attributes }: XmlElement): string =>
  /^urn:oasis:names:tc:SAML:2\.0:status:([A-Za-z]{1,40})$/.exec(
    attributes.get('Value') ?? '',
  )?.[1] ?? 'another status';

/**
 * Validates an assertion with a verified signature.
 * @throws SamlError
 */
export function readAssertion(assertion: XmlElement, expected: ResponseExpectation): Assertion {
  assertAttribute(assertion, 'Version', '2.0');
  assertReached(assertion, 'IssueInstant', expected.now);
  assertIssuer(assertion, expected.issuer);
  assertConditions(getOnlyChild(assertion, ASSERTION, 'Conditions'), expected);
  const subject = getOnlyChild(assertion, ASSERTION, 'Subject');
  assertConfirmed(subject, expected);
  return {
    id: getAttribute(assertion, 'ID'),
    ...readNameId(getOnlyChild(subject, ASSERTION, 'NameID')),
    ...readSessions(assertion, expected),
    ...readAttributes(assertion),
  };
}

/** One valid confirmation suffices (SAML core, section 2.4.1; SAML profiles, section 4.1.4.2). */
function assertConfirmed(subject: XmlElement, expected: ResponseExpectation): void {
  const confirmations = findChildren(subject, ASSERTION, 'SubjectConfirmation');
  if (confirmations.length === 0) failSaml('Subject has no SubjectConfirmation');
  const problems: string[] = [];
  for (const confirmation of confirmations)
    try {
      return assertConfirmation(confirmation, expected);
    } catch (error) {
      if (!(error instanceof SamlError)) throw error;
      problems.push(error.message);
    }
  failSaml([...new Set(problems)].slice(0, MAX_PROBLEMS).join('; '));
}

/** The number of problems with confirmations in the reason for a refusal. */
const MAX_PROBLEMS = 3;

function assertConfirmation(
  confirmation: XmlElement,
  { recipient, inResponseTo, now }: ResponseExpectation,
): void {
  assertAttribute(confirmation, 'Method', BEARER);
  const data = getOnlyChild(confirmation, ASSERTION, 'SubjectConfirmationData');
  assertAttribute(data, 'Recipient', recipient);
  assertAttribute(data, 'InResponseTo', inResponseTo);
  assertNotExpired(data, 'NotOnOrAfter', now);
  if (data.attributes.has('NotBefore')) assertReached(data, 'NotBefore', now);
}

const CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];

function assertConditions(conditions: XmlElement, { audience, now }: ResponseExpectation): void {
  if (conditions.attributes.has('NotBefore')) assertReached(conditions, 'NotBefore', now);
  assertNotExpired(conditions, 'NotOnOrAfter', now);
  if (
    !conditions.children.every(
      ({ namespace, name }) => namespace === ASSERTION && CONDITIONS.includes(name),
    )
  )
    failSaml('Assertion has an unknown condition');
  const restrictions = findChildren(conditions, ASSERTION, 'AudienceRestriction');
  const isForAudience = (restriction: XmlElement): boolean =>
    findChildren(restriction, ASSERTION, 'Audience').some(
      (element) => getElementText(element) === audience,
    );
  if (restrictions.length === 0 || !restrictions.every(isForAudience))
    failSaml('Assertion is for another audience');
}

function readNameId(element: XmlElement): Pick<Assertion, 'nameId' | 'nameIdFormat'> {
  const nameIdFormat = getOptionalAttribute(element, 'Format');
  if (nameIdFormat === TRANSIENT_NAME)
    failSaml('NameID is transient and cannot identify an account');
  return { nameId: getElementText(element), nameIdFormat };
}

function readSessionIndex(
  statement: XmlElement,
  { needsSessionIndex, now }: ResponseExpectation,
): string | null {
  assertReached(statement, 'AuthnInstant', now);
  return needsSessionIndex
    ? getAttribute(statement, 'SessionIndex')
    : getOptionalAttribute(statement, 'SessionIndex');
}

const END = 'SessionNotOnOrAfter';
/** Statements of one assertion. */
const MAX_STATEMENTS = 10;

/**
 * Reads the sessions that an assertion states (SAML profiles, section 4.1.4.2: one or more). Each statement is checked. One
 * whose session is over opens none (section 4.1.4.3), and of the others the first to end says when ours ends.
 */
function readSessions(
  assertion: XmlElement,
  expected: ResponseExpectation,
): Pick<Assertion, 'sessionIndex' | 'otherIndexes' | 'sessionEndsAt'> {
  const statements = findChildren(assertion, ASSERTION, 'AuthnStatement');
  if (statements.length > MAX_STATEMENTS) failSaml('Assertion has too many AuthnStatements');
  const sessions = statements.map((statement) => ({
    index: readSessionIndex(statement, expected),
    ends: statement.attributes.has(END) ? getInstant(statement, END) : Infinity,
  }));
  const open = sessions.filter(({ ends }) => !hasPassed(ends, expected.now));
  const [first = getOnlyChild(assertion, ASSERTION, 'AuthnStatement')] = statements;
  if (open.length === 0) assertNotExpired(first, END, expected.now);
  const ends = Math.min(...open.map((session) => session.ends));
  const [sessionIndex = null, ...otherIndexes] = open.flatMap(({ index }) => index ?? []);
  return { sessionIndex, otherIndexes, sessionEndsAt: ends === Infinity ? null : new Date(ends) };
}

type Attributes = Pick<Assertion, 'attributes' | 'structured' | 'hasEncryptedAttributes'>;

function readAttributes(assertion: XmlElement): Attributes {
  const statements = findChildren(assertion, ASSERTION, 'AttributeStatement');
  const attributes = new Map<string, string[]>();
  const structured = new Set<string>();
  for (const attribute of statements.flatMap((each) =>
    findChildren(each, ASSERTION, 'Attribute'),
  )) {
    const name = getAttribute(attribute, 'Name');
    const values = findChildren(attribute, ASSERTION, 'AttributeValue');
    const texts = values.filter(({ children }) => children.length === 0);
    if (texts.length < values.length) structured.add(name);
    const before = attributes.get(name) ?? [];
    attributes.set(name, [...before, ...texts.map(({ text }) => trimBlanks(text))]);
  }
  const hasEncryptedAttributes = statements.some(
    (each) => findChildren(each, ASSERTION, 'EncryptedAttribute').length > 0,
  );
  return { attributes, structured, hasEncryptedAttributes };
}
