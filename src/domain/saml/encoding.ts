// Decodes SAML messages from form parameters to XML documents with unique element IDs.
import { MAX_CHARACTERS, parseXml, UnsafeXml, withDescendants, type XmlElement } from './xml.ts';
import { failSaml } from './saml-error.ts';

/** The base64 of the largest document, with room for line breaks. */
const MAX_BASE64 = 1.5 * MAX_CHARACTERS;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a form parameter: strict base64, with optional white space, of UTF-8.
 * @throws SamlError
 */
export function decodeMessage(base64: string): string {
  if (base64.length > MAX_BASE64) failSaml('Message is too large');
  const digits = base64.replace(/[\t\n\r ]+/g, '');
  if (digits === '' || digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(digits))
    failSaml('Message is not base64');
  try {
    return utf8.decode(Buffer.from(digits, 'base64'));
  } catch {
    return failSaml('Message is not UTF-8');
  }
}

/**
 * Parses a document in which no two ID attributes, however spelt, have the same value.
 * @throws SamlError
 */
export function parseDocument(xml: string): XmlElement {
  const root = parse(xml);
  const seen = new Set<string>();
  for (const { attributes } of withDescendants(root))
    for (const [name, value] of attributes) {
      if (!/^(\{.*\})?id$/i.test(name)) continue;
      if (seen.has(value)) failSaml('Two elements have the same ID');
      seen.add(value);
    }
  return root;
}

function parse(xml: string): XmlElement {
  try {
    return parseXml(xml);
  } catch (error) {
    if (error instanceof UnsafeXml) return failSaml(`XML is refused: ${error.message}`);
    throw error;
  }
}
