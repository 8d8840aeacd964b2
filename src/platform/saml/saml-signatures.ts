// Verifies XML signatures: what is read afterwards is what the signature covers, and nothing else.
import { SignedXml } from 'xml-crypto';
import { parseDocument } from '../../domain/saml/encoding.ts';
import { failSaml } from '../../domain/saml/saml-error.ts';
import { signatureOf } from '../../domain/saml/signature.ts';
import type { XmlElement } from '../../domain/saml/xml.ts';

/**
 * The element as its signer wrote it, without the signature. It is verified as a document of its own, so that nothing around it
 * can be taken for it, with the certificates given here; what the message says of keys is not looked at.
 * @throws SamlRefusal when it is not signed by one of `certificates` (PEM), or in another way than the accepted one
 */
export function verifiedElement(element: XmlElement, certificates: readonly string[]): XmlElement {
  const signature = signatureOf(element).standalone();
  const document = element.standalone();
  for (const certificate of certificates) {
    const covered = coveredBy(signature, { document, certificate });
    if (covered === null) continue;
    const found = parseDocument(covered);
    const isSame = found.name === element.name && found.namespace === element.namespace;
    return isSame ? found : failSaml('The signature is of something else');
  }
  return failSaml(`The signature of ${element.name} does not verify`);
}

/** The canonical text that a signature covers; null when it does not verify. */
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
