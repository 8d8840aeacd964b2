// Verifies XML signatures and returns only the XML that they cover.
import { X509Certificate } from 'node:crypto';
import { ExclusiveCanonicalization, SignedXml } from 'xml-crypto';
import { parseDocument } from '../xml/encoding.ts';
import { failSaml } from '../saml-error.ts';
import { EXCLUSIVE, readSignature } from './signature.ts';
import type { XmlElement } from '../xml/xml.ts';
import { hasValidSignature } from './rsa-methods.ts';

/** Far above any real signature with a chain of certificates. */
const MAX_SIGNATURE = 64 * 1024;

/**
 * Returns the signed element without its signature. Verifying it as a separate document prevents signature wrapping.
 * Only the given certificates count: key information in the message is ignored.
 * @throws SamlError when it is not signed by one of `certificates` (PEM), or not in the accepted form
 */
export function verifyElement(element: XmlElement, certificates: readonly string[]): XmlElement {
  const { element: signed, method, value } = readSignature(element);
  const signature = signed.standalone();
  if (signature.length > MAX_SIGNATURE) return failSaml('Signature is too long');
  // Checked before the element is canonicalised and digested, which bounds the cost of a forged message.
  const text = readCanonicalInfo(signature);
  const certificate = certificates.find((pem) =>
    hasValidSignature(new X509Certificate(pem).publicKey, { method, text, value }),
  );
  const document = element.standalone();
  const covered = certificate ? extractCovered(signature, { document, certificate }) : null;
  if (covered === null) return failSaml(`The signature of ${element.name} is invalid`);
  const found = parseDocument(covered);
  const isSame = found.name === element.name && found.namespace === element.namespace;
  return isSame ? found : failSaml('The signature covers another element');
}

/** The canonical SignedInfo: xml-crypto computes it when it loads a signature, but compares it after all digests. */
function readCanonicalInfo(signature: string): string {
  const texts: string[] = [];
  class RecordingCanonicalization extends ExclusiveCanonicalization {
    override process(...parts: Parameters<ExclusiveCanonicalization['process']>): string {
      const text = super.process(...parts);
      texts.push(text);
      return text;
    }
  }
  const reader = new SignedXml();
  reader.CanonicalizationAlgorithms[EXCLUSIVE] = RecordingCanonicalization;
  try {
    reader.loadSignature(signature);
  } catch {
    return '';
  }
  return texts[0] ?? '';
}

/** The canonical XML that a signature covers; null when the signature is invalid. */
function extractCovered(
  signature: string,
  { document, certificate }: { document: string; certificate: string },
): string | null {
  const check = new SignedXml({ publicCert: certificate, getCertFromKeyInfo: () => null });
  try {
    check.loadSignature(signature);
    if (!check.checkSignature(document)) return null;
  } catch {
    return null;
  }
  const [covered, ...more] = check.getSignedReferences();
  return more.length === 0 ? (covered ?? null) : null;
}
