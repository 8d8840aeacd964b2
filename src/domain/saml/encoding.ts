// From what a form brings to a document whose elements can be told apart.
import { MAX_CHARACTERS, parseXml, UnsafeXml, withDescendants, type XmlElement } from './xml.ts';
import { failSaml } from './saml-error.ts';

/** Base64 of the largest document, with room for line breaks. */
const MAX_BASE64 = 1.5 * MAX_CHARACTERS;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text in a form's member: strict base64, perhaps in lines, of UTF-8.
 * @throws SamlRefusal
 */
export function decodeMessage(base64: string): string {
  if (base64.length > MAX_BASE64) failSaml('The message is too large');
  const digits = base64.replace(/[\t\n\r ]+/g, '');
  if (digits === '' || digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(digits))
    failSaml('The message is not base64');
  try {
    return utf8.decode(Buffer.from(digits, 'base64'));
  } catch {
    return failSaml('The message is not UTF-8');
  }
}

/**
 * The document in a text; no two of its elements have the same identifier, however it is spelt.
 * @throws SamlRefusal
 */
export function wellFormed(xml: string): XmlElement {
  const root = parsed(xml);
  const seen = new Set<string>();
  for (const { attributes } of withDescendants(root))
    for (const [name, value] of attributes) {
      if (!/^(\{.*\})?id$/i.test(name)) continue;
      if (seen.has(value)) failSaml('Two elements have the same identifier');
      seen.add(value);
    }
  return root;
}

function parsed(xml: string): XmlElement {
  try {
    return parseXml(xml);
  } catch (error) {
    if (error instanceof UnsafeXml) return failSaml(`The XML was refused: ${error.message}`);
    throw error;
  }
}
