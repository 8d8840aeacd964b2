// A strict reader of XML from strangers: a bounded, linear pass over the part of XML that signed messages need.

/** An element as it was written; names and attributes are resolved to their namespaces. */
export interface XmlElement {
  /** Empty: none. */
  namespace: string;
  /** Without prefix. */
  name: string;
  /** By name, those of a namespace by `{namespace}name`; without namespace declarations. */
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** The character data directly in it, references resolved. */
  text: string;
  /** The element as a document of its own: its text with the namespaces declared that it inherits. */
  standalone: () => string;
}

/** The text is no XML that is read here; the message says why, without a word of the text. */
export class UnsafeXml extends Error {}

/** Of a document. */
export const MAX_CHARACTERS = 512 * 1024;
/** Far above any real message, far below what costs time. */
const LIMITS = { elements: 2000, depth: 50, attributes: 4000, attributesOfOne: 32, namespaces: 64 };

const NAME = '[A-Za-z_][A-Za-z0-9_.-]*';
const QUALIFIED = `(?:(${NAME}):)?(${NAME})`;
const DECLARATION =
  /^<\?xml version=(?:"1\.0"|'1\.0')(?: encoding=(?:"utf-8"|'utf-8'))?(?: standalone=(?:"(?:yes|no)"|'(?:yes|no)'))? ?\?>/i;
const OPENING = new RegExp(`<${QUALIFIED}`, 'y');
const ATTRIBUTE = new RegExp(
  `[ \\t\\n]+${QUALIFIED}[ \\t\\n]*=[ \\t\\n]*(?:"([^"<]*)"|'([^'<]*)')`,
  'y',
);
const TAG_END = /[ \t\n]*(\/?)>/y;
const CLOSING = new RegExp(`</${QUALIFIED}[ \\t\\n]*>`, 'y');
const CHARACTERS = /[^<]+/y;
const SPACE = /[ \t\n]*/y;
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
const REFERENCE = /&(?:([a-z]{2,4});|#([0-9]{1,7});|#x([0-9A-Fa-f]{1,6});)?/g;
const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';

type Scope = ReadonlyMap<string, string>;

interface Tag {
  prefix: string;
  name: string;
  scope: Scope;
  attributes: ReadonlyMap<string, string>;
  isEmpty: boolean;
  /** Where the text goes on behind the name. */
  afterName: number;
  declared: ReadonlySet<string>;
}

/** An attribute before its prefix is resolved. */
interface WrittenAttribute {
  /** Empty: none. */
  prefix: string;
  name: string;
  value: string;
}

/**
 * Reads a document. Refused are document types, processing instructions, comments, CDATA, names beyond ASCII, undeclared
 * prefixes, repeated attributes, and whatever passes the limits; a declaration of version 1.0 in UTF-8 may stand in front.
 * @throws UnsafeXml
 */
export function parseXml(given: string): XmlElement {
  if (given.length > MAX_CHARACTERS) throw new UnsafeXml('it is too large');
  const text = given.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  if (NO_CHARACTER.test(text)) throw new UnsafeXml('it holds a character that XML does not know');
  return new Reader(text).document();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #elements = 0;
  #attributes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): XmlElement {
    this.#at = DECLARATION.exec(this.#text)?.[0].length ?? 0;
    this.#take(SPACE);
    const root = this.#element(new Map([['xml', XML]]), 1);
    this.#take(SPACE);
    if (this.#at < this.#text.length) throw new UnsafeXml('something follows the document');
    return root;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #element(outer: Scope, depth: number): XmlElement {
    if (depth > LIMITS.depth) throw new UnsafeXml('it is nested too deeply');
    if (++this.#elements > LIMITS.elements) throw new UnsafeXml('it has too many elements');
    const start = this.#at;
    const tag = this.#tag(outer);
    const children: XmlElement[] = [];
    const text = tag.isEmpty ? '' : this.#content(tag, children, depth);
    const end = this.#at;
    return {
      namespace: namespaceOf(tag.prefix, tag.scope),
      name: tag.name,
      attributes: tag.attributes,
      children,
      text,
      standalone: () => {
        const inherited = [...outer].filter(
          ([prefix]) => prefix !== 'xml' && !tag.declared.has(prefix),
        );
        const declarations = inherited.map(
          ([prefix, uri]) => ` ${prefix ? `xmlns:${prefix}` : 'xmlns'}="${escapeXml(uri)}"`,
        );
        return (
          this.#text.slice(start, tag.afterName) +
          declarations.join('') +
          this.#text.slice(tag.afterName, end)
        );
      },
    };
  }

  /** What is between the tags. */
  #content({ prefix, name, scope }: Tag, children: XmlElement[], depth: number): string {
    const pieces: string[] = [];
    for (;;) {
      const characters = this.#take(CHARACTERS)?.[0];
      if (characters !== undefined) pieces.push(unescape(characters));
      const closing = this.#take(CLOSING);
      if (closing) {
        if ((closing[1] ?? '') !== prefix || closing[2] !== name)
          throw new UnsafeXml('its tags do not match');
        return pieces.join('');
      }
      children.push(this.#element(scope, depth + 1));
    }
  }

  #tag(outer: Scope): Tag {
    const opening = this.#take(OPENING);
    if (!opening)
      throw new UnsafeXml('it is not well-formed, or holds more than elements and text');
    const [, prefix = '', name = ''] = opening;
    const afterName = this.#at;
    const written = this.#writtenAttributes();
    const tagEnd = this.#take(TAG_END);
    if (!tagEnd) throw new UnsafeXml('a tag is not well-formed');
    const { scope, declared } = declare(outer, written.filter(isDeclaration));
    return {
      prefix,
      name,
      scope,
      declared,
      afterName,
      attributes: resolve(
        written.filter((attribute) => !isDeclaration(attribute)),
        scope,
      ),
      isEmpty: tagEnd[1] === '/',
    };
  }

  #writtenAttributes(): WrittenAttribute[] {
    const written: WrittenAttribute[] = [];
    for (let found = this.#take(ATTRIBUTE); found; found = this.#take(ATTRIBUTE)) {
      if (written.length === LIMITS.attributesOfOne)
        throw new UnsafeXml('an element has too many attributes');
      if (++this.#attributes > LIMITS.attributes) throw new UnsafeXml('it has too many attributes');
      const [, prefix = '', name = '', double, single] = found;
      const value = unescape((double ?? single ?? '').replace(/[\t\n]/g, ' '));
      written.push({ prefix, name, value });
    }
    return written;
  }
}

function isDeclaration({ prefix, name }: WrittenAttribute): boolean {
  return prefix === 'xmlns' || (prefix === '' && name === 'xmlns');
}

function declare(outer: Scope, declarations: readonly WrittenAttribute[]) {
  const declared = new Set<string>();
  if (declarations.length === 0) return { scope: outer, declared };
  const scope = new Map(outer);
  for (const { prefix: xmlns, name, value: uri } of declarations) {
    const prefix = xmlns === '' ? '' : name;
    if (declared.has(prefix)) throw new UnsafeXml('a namespace is declared twice');
    if (/^xml(ns)?$/.test(prefix) || uri === XML || uri === XMLNS || (uri === '' && prefix !== ''))
      throw new UnsafeXml('a namespace cannot be declared so');
    declared.add(prefix);
    scope.set(prefix, uri);
  }
  if (scope.size > LIMITS.namespaces) throw new UnsafeXml('it has too many namespaces');
  return { scope, declared };
}

function resolve(written: readonly WrittenAttribute[], scope: Scope): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const { prefix, name, value } of written) {
    const key = prefix === '' ? name : `{${namespaceOf(prefix, scope)}}${name}`;
    if (attributes.has(key)) throw new UnsafeXml('an attribute is given twice');
    attributes.set(key, value);
  }
  return attributes;
}

function namespaceOf(prefix: string, scope: Scope): string {
  const namespace = scope.get(prefix);
  if (namespace === undefined && prefix !== '') throw new UnsafeXml('a prefix is not declared');
  return namespace ?? '';
}

/** Text with its references resolved: the five entities that need no document type, and characters by number. */
function unescape(text: string): string {
  if (text.includes(']]>')) throw new UnsafeXml('it holds the end of a CDATA section');
  return text.replace(REFERENCE, (_, ...groups: (string | undefined)[]) => {
    const [entity, decimal, hex] = groups;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const character = entity === undefined ? characterOf(code) : ENTITIES[entity];
    if (character === undefined) throw new UnsafeXml('it refers to something unknown');
    return character;
  });
}

function characterOf(code: number): string | undefined {
  if (!(code <= 0x10ffff)) return undefined;
  const character = String.fromCodePoint(code);
  return NO_CHARACTER.test(character) ? undefined : character;
}

/** Text as it is written between tags and in attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The element itself and everything in it, in the order of the document. */
export function* withDescendants(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* withDescendants(child);
}

/** The elements directly in `element` that have this name. */
export function childrenNamed(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}
