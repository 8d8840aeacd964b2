// The accepted profile of XML signatures: enveloped, over the enclosing element (SAML core, section 5.4).
import { findChildren, withDescendants, type XmlElement } from '../xml/xml.ts';
import { getAttribute, getOnlyChild, getElementText } from '../xml/elements.ts';
import { RSA_PSS_SHA256, RSA_SHA256, RSA_SHA512, SIGNATURE } from '../names.ts';
import { failSaml } from '../saml-error.ts';

export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = `${SIGNATURE}enveloped-signature`;
/** Excludes SHA-1, and HMAC, for which a public key could be used as the shared key. */
const METHODS: readonly string[] = [RSA_SHA256, RSA_SHA512, RSA_PSS_SHA256];
const DIGESTS = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
];

/** The longest PrefixList in characters. */
const MAX_PREFIX_LIST = 200;

/** A signature of the accepted profile that is not verified yet. */
export interface ElementSignature {
  element: XmlElement;
  /** The algorithm's identifier. */
  method: string;
  /** Base64. */
  value: string;
}

/** Whether an element has a signature of its own. */
export function isSigned(element: XmlElement): boolean {
  return findChildren(element, SIGNATURE, 'Signature').length > 0;
}

/** @throws SamlError when a signature is not a child of one of `holders`, or there are more signatures than holders */
export function assertSignaturePlaces(root: XmlElement, holders: readonly XmlElement[]): void {
  const found = [...withDescendants(root)].filter(({ name }) => name === 'Signature');
  const own = holders.flatMap((holder) => findChildren(holder, SIGNATURE, 'Signature'));
  if (found.length !== own.length || own.length > holders.length)
    failSaml('A signature is in the wrong place');
}

/**
 * The signature of an element, which covers the whole element and nothing else.
 * @throws SamlError when there is none, or one of another profile
 */
export function readSignature(element: XmlElement): ElementSignature {
  const [signature, ...more] = findChildren(element, SIGNATURE, 'Signature');
  if (!signature) return failSaml(`${element.name} is not signed`);
  if (more.length > 0) failSaml(`${element.name} has more than one signature`);
  assertChildren(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo']);
  const info = getOnlyChild(signature, SIGNATURE, 'SignedInfo');
  const value = getElementText(getOnlyChild(signature, SIGNATURE, 'SignatureValue'));
  assertChildren(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference']);
  assertAlgorithm(getOnlyChild(info, SIGNATURE, 'CanonicalizationMethod'), [EXCLUSIVE]);
  const method = getOnlyChild(info, SIGNATURE, 'SignatureMethod');
  assertAlgorithm(method, METHODS);
  assertReference(getOnlyChild(info, SIGNATURE, 'Reference'), element);
  return { element: signature, method: getAttribute(method, 'Algorithm'), value };
}

function assertReference(reference: XmlElement, element: XmlElement): void {
  const id = element.attributes.get('ID') ?? '';
  if (!/^[A-Za-z_][\w.-]*$/.test(id)) failSaml(`ID of ${element.name} is not an identifier`);
  if (reference.attributes.get('URI') !== `#${id}`)
    failSaml(`Signature of ${element.name} does not reference it`);
  assertChildren(reference, ['Transforms', 'DigestMethod', 'DigestValue']);
  assertAlgorithm(getOnlyChild(reference, SIGNATURE, 'DigestMethod'), DIGESTS);
  const transforms = getOnlyChild(reference, SIGNATURE, 'Transforms');
  assertChildren(transforms, ['Transform']);
  transforms.children.forEach(assertParameters);
  const algorithms = transforms.children.map((transform) => getAttribute(transform, 'Algorithm'));
  if (algorithms.join(' ') !== `${ENVELOPED} ${EXCLUSIVE}`)
    failSaml('Signature has unexpected transforms');
}

function assertAlgorithm(method: XmlElement, allowed: readonly string[]): void {
  assertParameters(method);
  if (!allowed.includes(getAttribute(method, 'Algorithm')))
    failSaml(`Algorithm of ${method.name} is not accepted`);
}

/** The only parameter accepted is a list of prefixes whose namespaces are signed even where they seem unused. */
function assertParameters(method: XmlElement): void {
  const isKnown = ({ namespace, name, attributes }: XmlElement): boolean =>
    namespace === EXCLUSIVE &&
    name === 'InclusiveNamespaces' &&
    (attributes.get('PrefixList') ?? '').length <= MAX_PREFIX_LIST;
  if (method.children.length > 1 || !method.children.every(isKnown))
    failSaml(`${method.name} has unexpected content`);
}

function assertChildren(element: XmlElement, allowed: readonly string[]): void {
  if (
    !element.children.every(
      ({ namespace, name }) => namespace === SIGNATURE && allowed.includes(name),
    )
  )
    failSaml(`${element.name} has unexpected content`);
}
