// Verifies XML signatures and returns what they cover, so that nothing else is read.
import { SignedXml } from 'xml-crypto';
import { parseDocument } from '../../domain/saml/encoding.ts';
import { failSaml } from '../../domain/saml/saml-error.ts';
import { signatureOf } from '../../domain/saml/signature.ts';
import type { XmlElement } from '../../domain/saml/xml.ts';

/**
 * The element as signed, without its signature. It is verified as a document of its own, so that no other element can be taken for
 * it (signature wrapping), and with the given certificates only: key information in the message is ignored.
 * @throws SamlError when it is not signed by one of `certificates` (PEM), or not in the accepted form
 */
export function verifiedElement(element: XmlElement, certificates: readonly string[]): XmlElement {
  const signature = signatureOf(element).standalone();
  const document = element.standalone();
  for (const certificate of certificates) {
    const covered = coveredBy(signature, { document, certificate });
    if (covered === null) continue;
    const found = parseDocument(covered);
    const isSame = found.name === element.name && found.namespace === element.namespace;
    return isSame ? found : failSaml('The signature covers another element');
  }
  return failSaml(`The signature of ${element.name} is invalid`);
}

/** The canonical XML that a signature covers; null when the signature is invalid. */
function coveredBy(
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
