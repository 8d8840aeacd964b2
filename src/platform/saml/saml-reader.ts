// Reads SAML messages: the strict reader first, then signatures and decryption, then what the message must say.
import type { KeyObject } from 'node:crypto';
import { decryptAssertion } from '../../domain/saml/decryption.ts';
import { decodeMessage, parseDocument } from '../../domain/saml/encoding.ts';
import {
  type LogoutExpectation,
  type LogoutMessage,
  readLogout,
} from '../../domain/saml/logout.ts';
import { failSaml } from '../../domain/saml/saml-error.ts';
import {
  type Assertion,
  assertionHolder,
  readAssertion,
  type ResponseExpectation,
} from '../../domain/saml/response.ts';
import { expectSignaturesIn, isSigned } from '../../domain/saml/signature.ts';
import type { XmlElement } from '../../domain/saml/xml.ts';
import { verifiedElement } from './saml-signatures.ts';

interface Trust {
  /** PEM, of the identity provider. */
  certificates: readonly string[];
}

export interface ResponseRequest extends ResponseExpectation, Trust {
  kind: 'response';
  /** As the form brings it. */
  base64: string;
}

export interface LogoutRequest extends LogoutExpectation, Trust {
  kind: 'logout';
  /** As a form brings it, or from an address whose signature has been verified. */
  message: { base64: string } | { verifiedXml: string };
}

/**
 * Reads the response to a request of ours. The assertion must be signed, in an encrypted one too; a signature of the response
 * is no substitute, and must verify where there is one.
 * @throws SamlRefusal
 */
export function readResponse(
  question: ResponseRequest,
  decryptionKey: KeyObject | null,
): Assertion {
  const { base64, certificates } = question;
  const response = parseDocument(decodeMessage(base64));
  const holder = assertionHolder(response, question);
  const isEncrypted = holder.name === 'EncryptedAssertion';
  expectSignaturesIn(response, isEncrypted ? [response] : [response, holder]);
  if (isSigned(response)) verifiedElement(response, certificates);
  const assertion = isEncrypted ? opened(holder, decryptionKey) : holder;
  return readAssertion(verifiedElement(assertion, certificates), question);
}

/** @throws SamlRefusal */
export function readLogoutMessage(question: LogoutRequest): LogoutMessage {
  const { message, certificates } = question;
  const isVerified = 'verifiedXml' in message;
  const root = parseDocument(isVerified ? message.verifiedXml : decodeMessage(message.base64));
  expectSignaturesIn(root, [root]);
  return readLogout(isVerified ? root : verifiedElement(root, certificates), question);
}

function opened(holder: XmlElement, decryptionKey: KeyObject | null): XmlElement {
  if (!decryptionKey)
    return failSaml('The assertion is encrypted, and no decryption key is configured');
  const text = decryptAssertion(holder, decryptionKey);
  const assertion = parseDocument(text);
  if (assertion.name !== 'Assertion' || assertion.namespace !== holder.namespace)
    failSaml('Something else is encrypted');
  expectSignaturesIn(assertion, [assertion]);
  return assertion;
}
