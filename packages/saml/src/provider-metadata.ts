// Reads the settings of a SAML identity provider from its metadata (SAML metadata, section 2.4).
import { findChildren, METADATA_DOCUMENT, withDescendants, type XmlElement } from './xml/xml.ts';
import {
  type CertificateFacts,
  findCertificateProblem,
  omitIssuers,
  readCertificateFacts,
} from './certificates.ts';
import {
  getAttribute,
  assertNotExpired,
  getOptionalAttribute,
  getElementText,
} from './xml/elements.ts';
import { parseDocument } from './xml/encoding.ts';
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

/** The `saml` member of the settings, with certificates described. */
export interface ProposedSamlSettings extends Omit<ProviderMetadata, 'certificates'> {
  certificates: CertificateFacts[];
}

const MAX_ID = 1024;
const MAX_ADDRESS = 2000;
const MAX_CERTIFICATES = 20;
/** The settings hold two, so that one can replace the other; the newest are chosen. */
const CHOSEN_CERTIFICATES = 2;
/** The limit of a pairwise comparison. */
const MAX_CHAIN = 6;

/** A description of a provider and its enclosing elements. */
interface ProviderDescription {
  entity: XmlElement;
  provider: XmlElement;
  /** The elements from the root to the provider, each of which may have an end of validity. */
  path: readonly XmlElement[];
}

/** Derives the settings for the provider that the metadata describe. @throws SamlError */
export function deriveSettings(xml: string, now: Date): ProposedSamlSettings {
  const { certificates, ...addresses } = readProviderMetadata(xml, now);
  return { ...addresses, certificates: chooseCertificates(certificates, now) };
}

function chooseCertificates(certificates: readonly string[], now: Date): CertificateFacts[] {
  const problems = certificates.map((text) => findCertificateProblem(text, now));
  const usable = certificates
    .filter((_, index) => problems[index] === null)
    .map(readCertificateFacts);
  if (usable.length === 0) failSaml(`Certificate in the metadata ${problems[0] ?? ''}`);
  return usable
    .sort((one, other) => other.validTo.getTime() - one.validTo.getTime())
    .slice(0, CHOSEN_CERTIFICATES);
}

/** @throws SamlError */
export function readProviderMetadata(xml: string, now: Date): ProviderMetadata {
  const { entity, provider, path } = findOnlyProvider(parseDocument(xml, METADATA_DOCUMENT));
  for (const element of path)
    if (element.attributes.has('validUntil')) assertNotExpired(element, 'validUntil', now);
  return {
    entityId: checkLength(getAttribute(entity, 'entityID'), MAX_ID),
    ssoUrl:
      findRedirect(provider, 'SingleSignOnService') ??
      failSaml('Metadata has no SingleSignOnService with the binding HTTP-Redirect'),
    sloUrl: findRedirect(provider, 'SingleLogoutService'),
    certificates: readCertificates(provider),
  };
}

/** The only identity provider of the document, which may be in a list of service providers. */
function findOnlyProvider(root: XmlElement): ProviderDescription {
  const isList = root.name === 'EntitiesDescriptor';
  if (root.namespace !== METADATA || !(isList || root.name === 'EntityDescriptor'))
    return failSaml('Document is not SAML metadata');
  const [found, ...more] = [...findProviders(root, [])];
  if (!found || more.length > 0)
    return failSaml(
      `Metadata must describe exactly one identity provider that speaks SAML 2.0, not ${found ? more.length + 1 : 'none'}`,
    );
  return found;
}

function* findProviders(
  element: XmlElement,
  outer: readonly XmlElement[],
): Generator<ProviderDescription> {
  const path = [...outer, element];
  if (element.name === 'EntityDescriptor')
    for (const provider of findChildren(element, METADATA, 'IDPSSODescriptor').filter(isSaml2))
      yield { entity: element, provider, path: [...path, provider] };
  else
    for (const name of ['EntitiesDescriptor', 'EntityDescriptor'])
      for (const child of findChildren(element, METADATA, name)) yield* findProviders(child, path);
}

const isSaml2 = (provider: XmlElement): boolean =>
  (getOptionalAttribute(provider, 'protocolSupportEnumeration') ?? '')
    .split(/\s+/)
    .includes(PROTOCOL);

function findRedirect(provider: XmlElement, name: string): string | null {
  const found = findChildren(provider, METADATA, name).find(
    (element) => getOptionalAttribute(element, 'Binding') === HTTP_REDIRECT,
  );
  return found ? checkLength(getAttribute(found, 'Location'), MAX_ADDRESS) : null;
}

/** The signing certificates; a key without a use serves both uses. */
function readCertificates(provider: XmlElement): string[] {
  const shown = findChildren(provider, METADATA, 'KeyDescriptor')
    .filter((key) => getOptionalAttribute(key, 'use') !== 'encryption')
    .map(readKeyCertificates);
  const different = new Set(shown.flat());
  if (different.size === 0)
    failSaml('Metadata has no certificate for signatures (X509Certificate)');
  if (different.size > MAX_CERTIFICATES)
    failSaml(`Metadata has more than ${MAX_CERTIFICATES} certificates for signatures`);
  if (shown.some(({ length }) => length > MAX_CHAIN))
    failSaml(`Metadata has a KeyDescriptor with more than ${MAX_CHAIN} certificates`);
  return [...new Set(shown.flatMap(omitIssuers))];
}

/** The certificates of one key: its own, often in a chain with its issuers. */
function readKeyCertificates(key: XmlElement): string[] {
  return [...withDescendants(key)]
    .filter(({ namespace, name }) => namespace === SIGNATURE && name === 'X509Certificate')
    .map((element) => getElementText(element).replace(ARMOUR, ''));
}

/** PEM lines and blanks that some providers leave around the base64. */
const ARMOUR = /-----(?:BEGIN|END) CERTIFICATE-----|\s/g;

const checkLength = (text: string, max: number): string =>
  text !== '' && text.length <= max
    ? text
    : failSaml('Metadata has a value that is empty or too long');
