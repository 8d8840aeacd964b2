// Decodes SAML messages from form parameters to XML documents with unique element IDs.
import {
  MAX_CHARACTERS,
  MESSAGE,
  parseXml,
  UnsafeXml,
  withDescendants,
  type XmlElement,
  type XmlProfile,
} from './xml.ts';
import { failSaml } from '../saml-error.ts';

/** The limit of the document in a response. */
const MAX_RESPONSE_BYTES = MAX_CHARACTERS;
/** The limit of a logout message in any binding; it is stricter, since anyone can send one. */
export const MAX_LOGOUT_BYTES = 64 * 1024;
/** Characters of base64 for a byte, with room for line breaks. */
const BASE64 = 1.5;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a form parameter: strict base64, with optional white space, of UTF-8.
 * @throws SamlError
 */
export function decodeMessage(base64: string, maxBytes = MAX_RESPONSE_BYTES): string {
  if (base64.length > BASE64 * maxBytes) failTooLarge(maxBytes);
  const digits = base64.replace(/[\t\n\r ]+/g, '');
  if (digits === '' || digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(digits))
    failSaml('Message is not base64');
  const bytes = Buffer.from(digits, 'base64');
  if (bytes.length > maxBytes) failTooLarge(maxBytes);
  try {
    return utf8.decode(bytes);
  } catch {
    return failSaml('Message is not UTF-8');
  }
}

const failTooLarge = (maxBytes: number): never =>
  failSaml(`Message is too large: more than ${maxBytes} bytes`);

/**
 * Parses a document in which no two ID attributes, however spelt, have the same value.
 * @throws SamlError
 */
export function parseDocument(xml: string, profile: XmlProfile = MESSAGE): XmlElement {
  const root = parse(xml, profile);
  const seen = new Set<string>();
  for (const { attributes } of withDescendants(root))
    for (const [name, value] of attributes) {
      if (!/^(\{.*\})?id$/i.test(name)) continue;
      if (seen.has(value)) failSaml('Two elements have the same ID');
      seen.add(value);
    }
  return root;
}

function parse(xml: string, profile: XmlProfile): XmlElement {
  try {
    return parseXml(xml, profile);
  } catch (error) {
    if (error instanceof UnsafeXml) return failSaml(`XML is refused: ${error.message}`);
    throw error;
  }
}
