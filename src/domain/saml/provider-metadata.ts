// Reads the settings of a SAML identity provider from its metadata (SAML metadata, section 2.4).
import { childrenNamed, METADATA_DOCUMENT, withDescendants, type XmlElement } from './xml.ts';
import { withoutIssuers } from '../identity/certificates.ts';
import { attributeOf, expectBefore, optionalAttribute, textOf } from './elements.ts';
import { parseDocument } from './encoding.ts';
import { HTTP_REDIRECT, METADATA, PROTOCOL, SIGNATURE } from './names.ts';
import { failSaml } from './saml-error.ts';

export interface ProviderMetadata {
  entityId: string;
  ssoUrl: string;
  /** Null: no single logout by redirect. */
  sloUrl: string | null;
  /** Base64 of the possible signing certificates, in the order of the document. */
  certificates: string[];
}

const MAX_ID = 1024;
const MAX_ADDRESS = 2000;
const MAX_CERTIFICATES = 20;
/** The limit of a pairwise comparison. */
const MAX_CHAIN = 6;

/** A description of a provider and its enclosing elements. */
interface Found {
  entity: XmlElement;
  provider: XmlElement;
  /** The elements from the root to the provider, each of which may have an end of validity. */
  path: readonly XmlElement[];
}

/** @throws SamlError */
export function readProviderMetadata(xml: string, now: Date): ProviderMetadata {
  const { entity, provider, path } = onlyProvider(parseDocument(xml, METADATA_DOCUMENT));
  for (const element of path)
    if (element.attributes.has('validUntil')) expectBefore(element, 'validUntil', now);
  return {
    entityId: bounded(attributeOf(entity, 'entityID'), MAX_ID),
    ssoUrl:
      redirectOf(provider, 'SingleSignOnService') ??
      failSaml('Metadata has no SingleSignOnService with the binding HTTP-Redirect'),
    sloUrl: redirectOf(provider, 'SingleLogoutService'),
    certificates: certificatesOf(provider),
  };
}

/** The only identity provider of the document, which may be in a list of service providers. */
function onlyProvider(root: XmlElement): Found {
  const isList = root.name === 'EntitiesDescriptor';
  if (root.namespace !== METADATA || !(isList || root.name === 'EntityDescriptor'))
    return failSaml('Document is not SAML metadata');
  const [found, ...more] = [...providersIn(root, [])];
  if (!found || more.length > 0)
    return failSaml(
      `Metadata must describe exactly one identity provider that speaks SAML 2.0, not ${found ? more.length + 1 : 'none'}`,
    );
  return found;
}

function* providersIn(element: XmlElement, outer: readonly XmlElement[]): Generator<Found> {
  const path = [...outer, element];
  if (element.name === 'EntityDescriptor')
    for (const provider of childrenNamed(element, METADATA, 'IDPSSODescriptor').filter(isSaml2))
      yield { entity: element, provider, path: [...path, provider] };
  else
    for (const name of ['EntitiesDescriptor', 'EntityDescriptor'])
      for (const child of childrenNamed(element, METADATA, name)) yield* providersIn(child, path);
}

const isSaml2 = (provider: XmlElement): boolean =>
  (optionalAttribute(provider, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL);

function redirectOf(provider: XmlElement, name: string): string | null {
  const found = childrenNamed(provider, METADATA, name).find(
    (element) => optionalAttribute(element, 'Binding') === HTTP_REDIRECT,
  );
  return found ? bounded(attributeOf(found, 'Location'), MAX_ADDRESS) : null;
}

/** The signing certificates; a key without a use serves both uses. */
function certificatesOf(provider: XmlElement): string[] {
  const shown = childrenNamed(provider, METADATA, 'KeyDescriptor')
    .filter((key) => optionalAttribute(key, 'use') !== 'encryption')
    .map(certificatesIn);
  const different = new Set(shown.flat());
  if (different.size === 0)
    failSaml('Metadata has no certificate for signatures (X509Certificate)');
  if (different.size > MAX_CERTIFICATES)
    failSaml(`Metadata has more than ${MAX_CERTIFICATES} certificates for signatures`);
  if (shown.some(({ length }) => length > MAX_CHAIN))
    failSaml(`Metadata has a KeyDescriptor with more than ${MAX_CHAIN} certificates`);
  return [...new Set(shown.flatMap(withoutIssuers))];
}

/** The certificates of one key: its own, often in a chain with its issuers. */
function certificatesIn(key: XmlElement): string[] {
  return [...withDescendants(key)]
    .filter(({ namespace, name }) => namespace === SIGNATURE && name === 'X509Certificate')
    .map((element) => textOf(element).replace(ARMOUR, ''));
}

/** PEM lines and blanks that some providers leave around the base64. */
const ARMOUR = /-----(?:BEGIN|END) CERTIFICATE-----|\s/g;

const bounded = (text: string, max: number): string =>
  text !== '' && text.length <= max
    ? text
    : failSaml('Metadata has a value that is empty or too long');
