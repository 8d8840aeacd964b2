// Reads the metadata of a SAML identity provider (SAML metadata, section 2.4): what an organisation's settings need of it.
import { childrenNamed, METADATA_DOCUMENT, withDescendants, type XmlElement } from './xml.ts';
import { attributeOf, expectBefore, onlyChild, textOf } from './elements.ts';
import { parseDocument } from './encoding.ts';
import { HTTP_REDIRECT, METADATA, PROTOCOL, SIGNATURE } from './names.ts';
import { failSaml } from './saml-error.ts';

export interface ProviderMetadata {
  entityId: string;
  ssoUrl: string;
  /** Null: no single logout by redirect. */
  sloUrl: string | null;
  /** Base64 of the certificates that may have signed, in the order of the document. */
  certificates: string[];
}

const MAX_ID = 1024;
const MAX_ADDRESS = 2000;
const MAX_CERTIFICATES = 20;

/** @throws SamlError */
export function readProviderMetadata(xml: string, now: Date): ProviderMetadata {
  const entity = entityIn(parseDocument(xml, METADATA_DOCUMENT));
  if (entity.attributes.has('validUntil')) expectBefore(entity, 'validUntil', now);
  const [provider, ...more] = childrenNamed(entity, METADATA, 'IDPSSODescriptor').filter(isSaml2);
  if (!provider || more.length > 0)
    return failSaml('Metadata must describe exactly one identity provider that speaks SAML 2.0');
  return {
    entityId: bounded(attributeOf(entity, 'entityID'), MAX_ID),
    ssoUrl:
      redirectOf(provider, 'SingleSignOnService') ??
      failSaml('Metadata has no SingleSignOnService with the binding HTTP-Redirect'),
    sloUrl: redirectOf(provider, 'SingleLogoutService'),
    certificates: certificatesOf(provider),
  };
}

/** The entity, also as the only one of a list. */
function entityIn(root: XmlElement): XmlElement {
  if (root.namespace !== METADATA) return failSaml('Document is not SAML metadata');
  if (root.name === 'EntitiesDescriptor') return onlyChild(root, METADATA, 'EntityDescriptor');
  return root.name === 'EntityDescriptor' ? root : failSaml('Document is not SAML metadata');
}

const isSaml2 = ({ attributes }: XmlElement): boolean =>
  (attributes.get('protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL);

function redirectOf(provider: XmlElement, name: string): string | null {
  const found = childrenNamed(provider, METADATA, name).find(
    ({ attributes }) => attributes.get('Binding') === HTTP_REDIRECT,
  );
  return found ? bounded(attributeOf(found, 'Location'), MAX_ADDRESS) : null;
}

/** A key without a use is good for both. */
function certificatesOf(provider: XmlElement): string[] {
  const signing = childrenNamed(provider, METADATA, 'KeyDescriptor').filter(
    ({ attributes }) => attributes.get('use') !== 'encryption',
  );
  const shown = signing
    .flatMap((key) => [...withDescendants(key)])
    .filter(({ namespace, name }) => namespace === SIGNATURE && name === 'X509Certificate');
  const texts = shown.map((element) => textOf(element).replace(/\s/g, ''));
  const different = [...new Set(texts)];
  if (different.length === 0 || different.length > MAX_CERTIFICATES)
    failSaml('Metadata has no certificate for signatures, or too many');
  return different;
}

const bounded = (text: string, max: number): string =>
  text !== '' && text.length <= max
    ? text
    : failSaml('Metadata has a value that is empty or too long');
