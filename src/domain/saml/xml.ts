// A strict, linear parser of untrusted XML, with limits, for the part of XML that signed messages need.

/** An element, its names resolved to namespaces. */
export interface XmlElement {
  /** Empty: none. */
  namespace: string;
  /** Without prefix. */
  name: string;
  /** By name, or `{namespace}name` for those with a prefix; without namespace declarations. */
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** Its own character data, references resolved. */
  text: string;
  /** The element as a document: its source with the inherited namespaces declared. */
  standalone: () => string;
}

/** XML that is refused. The message gives the reason and quotes nothing of the text. */
export class UnsafeXml extends Error {}

/** Maximum length of a document. */
export const MAX_CHARACTERS = 512 * 1024;
/** Far above any real message, far below what is slow. */
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
  /** The offset after the name. */
  afterName: number;
  /** The prefixes declared in the tag. */
  declared: ReadonlySet<string>;
}

/** Where an element is in the text, and the namespaces that it inherits. */
interface Extent {
  outer: Scope;
  tag: Tag;
  start: number;
  end: number;
}

/** An attribute before its prefix is resolved. */
interface RawAttribute {
  /** Empty: none. */
  prefix: string;
  name: string;
  value: string;
}

/**
 * Parses a document. Refuses document types, processing instructions, comments, CDATA, names beyond ASCII, undeclared prefixes,
 * duplicate attributes, and what exceeds the limits; allows an XML declaration of version 1.0 in UTF-8.
 * @throws UnsafeXml
 */
export function parseXml(source: string): XmlElement {
  if (source.length > MAX_CHARACTERS) throw new UnsafeXml('too large');
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  if (NO_CHARACTER.test(text)) throw new UnsafeXml('contains a character that XML does not allow');
  return new Parser(text).document();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #elements = 0;
  #attributes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): XmlElement {
    this.#at = DECLARATION.exec(this.#text)?.[0].length ?? 0;
    this.#match(SPACE);
    const root = this.#element(new Map([['xml', XML]]), 1);
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw new UnsafeXml('content after the document element');
    return root;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #element(outer: Scope, depth: number): XmlElement {
    if (depth > LIMITS.depth) throw new UnsafeXml('nested too deeply');
    if (++this.#elements > LIMITS.elements) throw new UnsafeXml('too many elements');
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
      standalone: () => this.#standalone({ outer, tag, start, end }),
    };
  }

  #standalone({ outer, tag, start, end }: Extent): string {
    const inherited = [...outer].filter(
      ([prefix]) => prefix !== 'xml' && !tag.declared.has(prefix),
    );
    const declarations = inherited.map(
      ([prefix, uri]) => ` ${prefix ? `xmlns:${prefix}` : 'xmlns'}="${escapeXml(uri)}"`,
    );
    const beforeDeclarations = this.#text.slice(start, tag.afterName);
    return beforeDeclarations + declarations.join('') + this.#text.slice(tag.afterName, end);
  }

  /** The content between the tags: adds the children, returns the text. */
  #content({ prefix, name, scope }: Tag, children: XmlElement[], depth: number): string {
    const pieces: string[] = [];
    for (;;) {
      const characters = this.#match(CHARACTERS)?.[0];
      if (characters !== undefined) pieces.push(unescape(characters));
      const closing = this.#match(CLOSING);
      if (closing) {
        if ((closing[1] ?? '') !== prefix || closing[2] !== name)
          throw new UnsafeXml('tags do not match');
        return pieces.join('');
      }
      children.push(this.#element(scope, depth + 1));
    }
  }

  #tag(outer: Scope): Tag {
    const opening = this.#match(OPENING);
    if (!opening) throw new UnsafeXml('not well-formed, or more than elements and text');
    const [, prefix = '', name = ''] = opening;
    const afterName = this.#at;
    const raw = this.#rawAttributes();
    const tagEnd = this.#match(TAG_END);
    if (!tagEnd) throw new UnsafeXml('a tag is not well-formed');
    const { scope, declared } = declareNamespaces(outer, raw.filter(isDeclaration));
    return {
      prefix,
      name,
      scope,
      declared,
      afterName,
      attributes: resolveAttributes(
        raw.filter((attribute) => !isDeclaration(attribute)),
        scope,
      ),
      isEmpty: tagEnd[1] === '/',
    };
  }

  #rawAttributes(): RawAttribute[] {
    const raw: RawAttribute[] = [];
    for (let found = this.#match(ATTRIBUTE); found; found = this.#match(ATTRIBUTE)) {
      if (raw.length === LIMITS.attributesOfOne)
        throw new UnsafeXml('an element has too many attributes');
      if (++this.#attributes > LIMITS.attributes) throw new UnsafeXml('too many attributes');
      const [, prefix = '', name = '', double, single] = found;
      const value = unescape((double ?? single ?? '').replace(/[\t\n]/g, ' '));
      raw.push({ prefix, name, value });
    }
    return raw;
  }
}

function isDeclaration({ prefix, name }: RawAttribute): boolean {
  return prefix === 'xmlns' || (prefix === '' && name === 'xmlns');
}

function declareNamespaces(outer: Scope, declarations: readonly RawAttribute[]) {
  const declared = new Set<string>();
  if (declarations.length === 0) return { scope: outer, declared };
  const scope = new Map(outer);
  for (const { prefix: xmlns, name, value: uri } of declarations) {
    const prefix = xmlns === '' ? '' : name;
    if (declared.has(prefix)) throw new UnsafeXml('a namespace is declared twice');
    if (/^xml(ns)?$/.test(prefix) || uri === XML || uri === XMLNS || (uri === '' && prefix !== ''))
      throw new UnsafeXml('a namespace declaration is not allowed');
    declared.add(prefix);
    scope.set(prefix, uri);
  }
  if (scope.size > LIMITS.namespaces) throw new UnsafeXml('too many namespaces');
  return { scope, declared };
}

function resolveAttributes(raw: readonly RawAttribute[], scope: Scope): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const { prefix, name, value } of raw) {
    const key = prefix === '' ? name : `{${namespaceOf(prefix, scope)}}${name}`;
    if (attributes.has(key)) throw new UnsafeXml('an attribute is duplicated');
    attributes.set(key, value);
  }
  return attributes;
}

function namespaceOf(prefix: string, scope: Scope): string {
  const namespace = scope.get(prefix);
  if (namespace === undefined && prefix !== '') throw new UnsafeXml('a prefix is not declared');
  return namespace ?? '';
}

/** Text with references resolved: the five predefined entities, and numeric characters. */
function unescape(text: string): string {
  if (text.includes(']]>')) throw new UnsafeXml('contains the end of a CDATA section');
  return text.replace(REFERENCE, (_, ...groups: (string | undefined)[]) => {
    const [entity, decimal, hex] = groups;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const character = entity === undefined ? characterOf(code) : ENTITIES[entity];
    if (character === undefined) throw new UnsafeXml('contains an unknown reference');
    return character;
  });
}

function characterOf(code: number): string | undefined {
  if (!(code <= 0x10ffff)) return undefined;
  const character = String.fromCodePoint(code);
  return NO_CHARACTER.test(character) ? undefined : character;
}

/** Text escaped for content and attribute values. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The element and all its descendants, in document order. */
export function* withDescendants(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* withDescendants(child);
}

/** The children of `element` with this name. */
export function childrenNamed(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}
