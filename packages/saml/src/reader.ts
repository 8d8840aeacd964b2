// Reads SAML messages and metadata: parses strictly, verifies signatures and decrypts, then checks the contents.
import type { KeyObject } from 'node:crypto';
import { decryptAssertion, UNOPENED } from './decryption.ts';
import { decodeMessage, MAX_LOGOUT_BYTES, parseDocument } from './xml/encoding.ts';
import { type LogoutExpectation, type LogoutMessage, readLogout } from './logout.ts';
import { type ProposedSamlSettings, deriveSettings } from './provider-metadata.ts';
import { failSaml, SamlError } from './saml-error.ts';
import {
  type Assertion,
  extractAssertion,
  readAssertion,
  type ResponseExpectation,
} from './response.ts';
import { assertSignaturePlaces, isSigned } from './signatures/signature.ts';
import { LOGOUT_MESSAGE, type XmlElement } from './xml/xml.ts';
import { verifyElement } from './signatures/signed-element.ts';

/** What a reader thread can be asked. */
export type SamlRequest = ResponseRequest | LogoutRequest | MetadataRequest;
export type SamlContents = Assertion | LogoutMessage | ProposedSamlSettings;

interface Trust {
  /** PEM, of the identity provider. */
  certificates: readonly string[];
}

export interface ResponseRequest extends ResponseExpectation, Trust {
  kind: 'response';
  /** The form member. */
  base64: string;
}

export interface LogoutRequest extends LogoutExpectation, Trust {
  kind: 'logout';
  /** A form member, or the XML of a redirect whose signature has been verified. */
  message: { base64: string } | { verifiedXml: string };
}

/** Metadata of a provider, of which nothing is signed that Assay would verify. */
export interface MetadataRequest {
  kind: 'metadata';
  xml: string;
  now: Date;
}

/** @throws SamlError */
export function readRequest(request: SamlRequest, decryptionKey: KeyObject | null): SamlContents {
  switch (request.kind) {
    case 'response':
      return readResponse(request, decryptionKey);
    case 'logout':
      return readLogoutMessage(request);
    case 'metadata':
      return deriveSettings(request.xml, request.now);
  }
}

/**
 * Reads the response to an authentication request. The assertion must be signed, also inside an encrypted one. A signature of the
 * response is no substitute, but must be valid where there is one.
 * @throws SamlError
 */
export function readResponse(request: ResponseRequest, decryptionKey: KeyObject | null): Assertion {
  const { base64, certificates } = request;
  const response = parseDocument(decodeMessage(base64));
  const holder = extractAssertion(response, request);
  const isEncrypted = holder.name === 'EncryptedAssertion';
  assertSignaturePlaces(response, isEncrypted ? [response] : [response, holder]);
  if (isSigned(response)) verifyElement(response, certificates);
  const assertion = isEncrypted
    ? decryptAndVerify(holder, { certificates, decryptionKey })
    : verifyElement(holder, certificates);
  return readAssertion(assertion, request);
}

/** @throws SamlError */
export function readLogoutMessage(request: LogoutRequest): LogoutMessage {
  const { message, certificates } = request;
  const isVerified = 'verifiedXml' in message;
  const xml = isVerified ? message.verifiedXml : decodeMessage(message.base64, MAX_LOGOUT_BYTES);
  const root = parseDocument(xml, LOGOUT_MESSAGE);
  assertSignaturePlaces(root, [root]);
  return readLogout(isVerified ? root : verifyElement(root, certificates), request);
}

/** Decrypts an assertion and verifies its signature. */
function decryptAndVerify(
  holder: XmlElement,
  { certificates, decryptionKey }: Trust & { decryptionKey: KeyObject | null },
): XmlElement {
  if (!decryptionKey)
    return failSaml('The assertion is encrypted, but no decryption key is configured');
  const text = decryptAssertion(holder, decryptionKey);
  try {
    const assertion = parseDocument(text);
    assertSignaturePlaces(assertion, [assertion]);
    const verified = verifyElement(assertion, certificates);
    if (verified.name === 'Assertion' && verified.namespace === holder.namespace) return verified;
  } catch (error) {
    if (!(error instanceof SamlError)) throw error;
  }
  return failSaml(UNOPENED);
}
