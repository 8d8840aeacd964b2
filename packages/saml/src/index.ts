// SAML 2.0 of a service provider: what the package offers.
export { findCertificateProblem, readCertificateFacts } from './certificates.ts';
export { trimBlanks } from './xml/elements.ts';
export { parseDocument } from './xml/encoding.ts';
export type { LogoutExpectation, LogoutMessage } from './logout.ts';
export {
  createAuthnRequest,
  createLogoutRequest,
  createLogoutResponse,
  createServiceProviderMetadata,
} from './messages.ts';
export { EMAIL_NAME, PERSISTENT_NAME, UNSPECIFIED_NAME } from './names.ts';
export { deriveSettings, type ProposedSamlSettings } from './provider-metadata.ts';
export {
  type LogoutRequest,
  type MetadataRequest,
  readLogoutMessage,
  readRequest,
  readResponse,
  type ResponseRequest,
  type SamlContents,
  type SamlRequest,
} from './reader.ts';
export {
  createSamlRedirect,
  type MessageMember,
  type RedirectedMessage,
  type SamlRedirect,
} from './redirect.ts';
export type { Assertion, ResponseExpectation } from './response.ts';
export { SamlError } from './saml-error.ts';
export { verifyElement } from './signatures/signed-element.ts';
export { MAX_CHARACTERS, parseXml, withDescendants, type XmlElement } from './xml/xml.ts';
