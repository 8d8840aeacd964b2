// Reading SAML elements: what must be there once is there once, and nothing is taken from a place that could be another.
import { childrenNamed, type XmlElement } from './xml.ts';
import { ASSERTION, ENTITY_NAME } from './names.ts';
import { failSaml } from './saml-error.ts';

/** The one child of that name. @throws SamlRefusal when there is none or another */
export function onlyChild(element: XmlElement, namespace: string, name: string): XmlElement {
  return optionalChild(element, namespace, name) ?? failSaml(`${element.name} has no ${name}`);
}

/** @throws SamlRefusal when there are several */
export function optionalChild(
  element: XmlElement,
  namespace: string,
  name: string,
): XmlElement | null {
  const [first, ...more] = childrenNamed(element, namespace, name);
  if (more.length > 0) failSaml(`${element.name} has more than one ${name}`);
  return first ?? null;
}

/** @throws SamlRefusal */
export function attributeOf(element: XmlElement, name: string): string {
  return element.attributes.get(name) ?? failSaml(`${element.name} has no ${name}`);
}

/** @throws SamlRefusal when the attribute is absent or has another value */
export function expectAttribute(element: XmlElement, name: string, expected: string): void {
  if (attributeOf(element, name) !== expected)
    failSaml(`${name} of ${element.name} is not the expected one`);
}

/** The text of an element that holds nothing else. @throws SamlRefusal */
export function textOf(element: XmlElement): string {
  if (element.children.length > 0) failSaml(`${element.name} holds elements`);
  return element.text || failSaml(`${element.name} is empty`);
}

/** @throws SamlRefusal when the issuer of a message or an assertion is absent or not the expected one */
export function expectIssuer(element: XmlElement, expected: string): void {
  const issuer = onlyChild(element, ASSERTION, 'Issuer');
  const format = issuer.attributes.get('Format');
  if (textOf(issuer) !== expected || (format !== undefined && format !== ENTITY_NAME))
    failSaml(`Issuer of ${element.name} is not the identity provider of the organisation`);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
/** By how much clocks may differ. */
const SKEW_MS = 60_000;

function instantOf(element: XmlElement, name: string): number {
  const text = attributeOf(element, name);
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? failSaml(`${name} of ${element.name} is no time in UTC`) : time;
}

/** @throws SamlRefusal when the moment is absent or over */
export function expectBefore(element: XmlElement, name: string, now: Date): void {
  if (now.getTime() - SKEW_MS >= instantOf(element, name))
    failSaml(`${element.name} has expired (${name})`);
}

/** @throws SamlRefusal when the moment is absent or yet to come */
export function expectReached(element: XmlElement, name: string, now: Date): void {
  if (now.getTime() + SKEW_MS < instantOf(element, name))
    failSaml(`${element.name} is not valid yet (${name})`);
}

/** @throws SamlRefusal when the moment is longer ago than `ageMs` */
export function expectRecent(
  element: XmlElement,
  name: string,
  { now, ageMs }: { now: Date; ageMs: number },
): void {
  if (now.getTime() - SKEW_MS - ageMs > instantOf(element, name))
    failSaml(`${element.name} is too old (${name})`);
}
