// The metadata of a SAML identity provider, as providers publish them.
import { FIRST_CERTIFICATE } from './certificates.ts';

const stripPem = (certificate: string): string => certificate.replace(/-----[^-]+-----|\s/g, '');

export interface MetadataParts {
  /** PEM. */
  signing?: readonly string[];
  /** Instead of the ordinary endpoints. */
  endpoints?: string;
  /** Further attributes of the entity. */
  attributes?: string;
}

export const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
export const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

/** An endpoint of a kind and binding. */
export const renderEndpoint = (name: string, binding: string, address: string): string =>
  `<md:${name} Binding="${binding}" Location="${address}"/>`;

const ENDPOINTS = [
  renderEndpoint('SingleLogoutService', POST, 'https://login.example.com/slo/post'),
  renderEndpoint('SingleLogoutService', REDIRECT, 'https://login.example.com/slo?a=1&amp;b=2'),
  renderEndpoint('SingleSignOnService', POST, 'https://login.example.com/sso/post'),
  renderEndpoint('SingleSignOnService', REDIRECT, 'https://login.example.com/sso'),
].join('');

export function renderProviderMetadata(entityId: string, parts: MetadataParts = {}): string {
  const { signing = [FIRST_CERTIFICATE], endpoints = ENDPOINTS, attributes = '' } = parts;
  const renderKey = (use: string, certificate: string): string =>
    `<md:KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${stripPem(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  const keys = signing.map((certificate) => renderKey(' use="signing"', certificate)).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}"${attributes}>
<md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys}${endpoints}</md:IDPSSODescriptor>
</md:EntityDescriptor>`;
}
