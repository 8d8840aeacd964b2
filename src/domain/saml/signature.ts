// Which XML signatures are looked at: one shape only, the one that covers the element it is in (SAML core, section 5.4).
import { childrenNamed, withDescendants, type XmlElement } from './xml.ts';
import { attributeOf, onlyChild } from './elements.ts';
import { RSA_PSS_SHA256, RSA_SHA256, RSA_SHA512, SIGNATURE } from './names.ts';
import { failSaml } from './saml-error.ts';

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = `${SIGNATURE}enveloped-signature`;
/** Without SHA-1, and without algorithms by which a public key could be taken for a shared one. */
const METHODS: readonly string[] = [RSA_SHA256, RSA_SHA512, RSA_PSS_SHA256];
const DIGESTS = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
];

/** Characters of a list of prefixes. */
const MAX_PREFIXES = 200;

/** Whether an element carries a signature of its own. */
export function isSigned(element: XmlElement): boolean {
  return childrenNamed(element, SIGNATURE, 'Signature').length > 0;
}

/** @throws SamlRefusal when a signature stands elsewhere than directly in one of `holders`, or one has two */
export function expectSignaturesIn(root: XmlElement, holders: readonly XmlElement[]): void {
  const found = [...withDescendants(root)].filter(({ name }) => name === 'Signature');
  const own = holders.flatMap((holder) => childrenNamed(holder, SIGNATURE, 'Signature'));
  if (found.length !== own.length || own.length > holders.length)
    failSaml('A signature stands where none belongs');
}

/**
 * The signature of an element, which covers that element and all of it.
 * @throws SamlRefusal when there is none or it could mean anything else
 */
export function signatureOf(element: XmlElement): XmlElement {
  const [signature, ...more] = childrenNamed(element, SIGNATURE, 'Signature');
  if (!signature) return failSaml(`${element.name} is not signed`);
  if (more.length > 0) failSaml(`${element.name} has more than one signature`);
  expectNames(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo']);
  const info = onlyChild(signature, SIGNATURE, 'SignedInfo');
  onlyChild(signature, SIGNATURE, 'SignatureValue');
  expectNames(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference']);
  expectAlgorithm(onlyChild(info, SIGNATURE, 'CanonicalizationMethod'), [EXCLUSIVE]);
  expectAlgorithm(onlyChild(info, SIGNATURE, 'SignatureMethod'), METHODS);
  expectReference(onlyChild(info, SIGNATURE, 'Reference'), element);
  return signature;
}

function expectReference(reference: XmlElement, element: XmlElement): void {
  const id = attributeOf(element, 'ID');
  if (!/^[A-Za-z_][\w.-]*$/.test(id)) failSaml(`ID of ${element.name} is no identifier`);
  if (reference.attributes.get('URI') !== `#${id}`)
    failSaml(`The signature in ${element.name} is of something else`);
  expectNames(reference, ['Transforms', 'DigestMethod', 'DigestValue']);
  expectAlgorithm(onlyChild(reference, SIGNATURE, 'DigestMethod'), DIGESTS);
  const transforms = onlyChild(reference, SIGNATURE, 'Transforms');
  expectNames(transforms, ['Transform']);
  transforms.children.forEach(expectParameters);
  const algorithms = transforms.children.map((transform) => attributeOf(transform, 'Algorithm'));
  if (algorithms.join(' ') !== `${ENVELOPED} ${EXCLUSIVE}`)
    failSaml('The signature is of something transformed');
}

function expectAlgorithm(method: XmlElement, allowed: readonly string[]): void {
  expectParameters(method);
  if (!allowed.includes(attributeOf(method, 'Algorithm')))
    failSaml(`The algorithm of ${method.name} is not accepted`);
}

/** The only parameter that is known: prefixes whose namespaces are signed too, though nothing seems to use them. */
function expectParameters(method: XmlElement): void {
  const isKnown = ({ namespace, name, attributes }: XmlElement): boolean =>
    namespace === EXCLUSIVE &&
    name === 'InclusiveNamespaces' &&
    (attributes.get('PrefixList') ?? '').length <= MAX_PREFIXES;
  if (method.children.length > 1 || !method.children.every(isKnown))
    failSaml(`${method.name} holds something unexpected`);
}

function expectNames(element: XmlElement, allowed: readonly string[]): void {
  if (
    !element.children.every(
      ({ namespace, name }) => namespace === SIGNATURE && allowed.includes(name),
    )
  )
    failSaml(`${element.name} holds something unexpected`);
}
