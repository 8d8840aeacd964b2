// Access to the children and attributes of SAML elements, and checks of their values.
import { findChildren, type XmlElement } from './xml.ts';
import { ASSERTION, ENTITY_NAME } from '../names.ts';
import { failSaml } from '../saml-error.ts';

/** The only child with this name. @throws SamlError when there is none or more than one */
export function getOnlyChild(element: XmlElement, namespace: string, name: string): XmlElement {
  return getOptionalChild(element, namespace, name) ?? failSaml(`${element.name} has no ${name}`);
}

/** The child with this name; null when there is none. @throws SamlError when there is more than one */
export function getOptionalChild(
  element: XmlElement,
  namespace: string,
  name: string,
): XmlElement | null {
  const [first, ...more] = findChildren(element, namespace, name);
  if (more.length > 0) failSaml(`${element.name} has more than one ${name}`);
  return first ?? null;
}

/** @throws SamlError */
export function getAttribute(element: XmlElement, name: string): string {
  return getOptionalAttribute(element, name) ?? failSaml(`${element.name} has no ${name}`);
}

/** An attribute without surrounding blanks, which its schema ignores for URIs, times and names; null: absent. */
export function getOptionalAttribute(element: XmlElement, name: string): string | null {
  const value = element.attributes.get(name);
  return value === undefined ? null : trimBlanks(value);
}

const BLANKS = ' \t\n\r';

/** Trims the blanks of XML, which indenting adds; no-break spaces and the like belong to the text. */
export function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** @throws SamlError when the attribute is absent or has another value */
export function assertAttribute(element: XmlElement, name: string, expected: string): void {
  if (getAttribute(element, name) !== expected)
    failSaml(`${name} of ${element.name} does not have the expected value`);
}

/**
 * The text of an element without children, without blanks around it.
 * @throws SamlError when it has children or no text
 */
export function getElementText(element: XmlElement): string {
  if (element.children.length > 0) failSaml(`${element.name} must contain only text`);
  return trimBlanks(element.text) || failSaml(`${element.name} is empty`);
}

/** @throws SamlError when the issuer of a message or an assertion is absent or not the expected one */
export function assertIssuer(element: XmlElement, expected: string): void {
  const issuer = getOnlyChild(element, ASSERTION, 'Issuer');
  const format = getOptionalAttribute(issuer, 'Format') ?? ENTITY_NAME;
  if (getElementText(issuer) !== expected || format !== ENTITY_NAME)
    failSaml(`Issuer of ${element.name} is not the organisation's identity provider`);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
/** Allowed clock skew. */
const SKEW_MS = 60_000;

/** A time in milliseconds since the epoch. @throws SamlError when it is absent or no UTC time */
export function getInstant(element: XmlElement, name: string): number {
  const text = getAttribute(element, name);
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? failSaml(`${name} of ${element.name} is not a UTC time`) : time;
}

/** Whether a time is in the past by every clock that is allowed. */
export const hasPassed = (time: number, now: Date): boolean => now.getTime() - SKEW_MS >= time;

/** @throws SamlError when the time is absent or in the past */
export function assertNotExpired(element: XmlElement, name: string, now: Date): void {
  if (hasPassed(getInstant(element, name), now)) failSaml(`${element.name} has expired (${name})`);
}

/** @throws SamlError when the time is absent or in the future */
export function assertReached(element: XmlElement, name: string, now: Date): void {
  if (now.getTime() + SKEW_MS < getInstant(element, name))
    failSaml(`${element.name} is not valid yet (${name})`);
}

/** @throws SamlError when the time is absent or longer ago than `ageMs` */
export function assertRecent(
  element: XmlElement,
  name: string,
  { now, ageMs }: { now: Date; ageMs: number },
): void {
  if (now.getTime() - SKEW_MS - ageMs > getInstant(element, name))
    failSaml(`${element.name} is too old (${name})`);
}
