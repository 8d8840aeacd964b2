// A strict, linear reader of untrusted XML with limits: saxes checks well-formedness, this file what is accepted.
import { SaxesParser, type SaxesTagNS } from 'saxes';

/** An element, its names resolved to namespaces. */
export interface XmlElement {
  /** Empty: none. */
  namespace: string;
  /** The local name, without prefix. */
  name: string;
  /** Keyed by name, or `{namespace}name` for attributes with a prefix; without namespace declarations. */
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** Its own character data, references resolved. */
  text: string;
  /** The element as a document: its source with the inherited namespaces declared. */
  standalone: () => string;
}

/** XML that is refused. The message gives the reason and quotes nothing of the text. */
export class UnsafeXml extends Error {}

/** The restrictions of a kind of document. */
export interface XmlProfile {
  elements: number;
  /**
   * Accepts only elements and text in UTF-8, so that all readers read signed content alike; else comments etc. are
   * skipped.
   */
  isStrict: boolean;
}

/** Maximum length of a document. */
export const MAX_CHARACTERS = 512 * 1024;
/** Limits far above any real message and far below slow ones. */
const LIMITS = { depth: 50, attributes: 4000, attributesOfOne: 32, namespaces: 64 };
export const MESSAGE: XmlProfile = { elements: 2000, isStrict: true };
/** Stricter, since anyone can send one. */
export const LOGOUT_MESSAGE: XmlProfile = { elements: 300, isStrict: true };
export const METADATA_DOCUMENT: XmlProfile = { elements: 2000, isStrict: false };

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** Reasons for messages of saxes, which begin with line and column and may quote the text. */
const REASONS: readonly [said: RegExp, reason: string][] = [
  [/: unbound namespace prefix/, 'a prefix is not declared'],
  [/: duplicate attribute/, 'an attribute is duplicated'],
  [/: (undefined entity|malformed character entity)/, 'contains an unknown reference'],
  [/: (documents may contain only one root|text data outside)/, 'content outside the root element'],
  [/: unexpected close tag/, 'tags do not match'],
];

type Scope = ReadonlyMap<string, string>;
type Tag = SaxesTagNS & { isSelfClosing: boolean };

/** An element whose end has not been read yet. */
interface OpenElement extends Omit<XmlElement, 'children' | 'text'> {
  children: XmlElement[];
  pieces: string[];
  /** The namespaces in scope. */
  scope: Scope;
  extent: Extent;
}

/** The position of an element in the text, and its inherited namespaces. */
interface Extent {
  start: number;
  /** The offset after the name in the start tag. */
  afterName: number;
  end: number;
  inherited: Scope;
  /** The prefixes declared in the tag. */
  declared: object;
}

/**
 * Parses a document. Refuses document types, names beyond ASCII, undeclared prefixes, duplicate attributes and exceeded
 * limits; a strict profile also refuses comments, processing instructions, CDATA and a declared encoding other than
 * UTF-8.
 * @throws UnsafeXml
 */
export function parseXml(source: string, profile: XmlProfile = MESSAGE): XmlElement {
  if (source.length > MAX_CHARACTERS) throw new UnsafeXml('too large');
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  return new Reader(text, profile).readRoot();
}

class Reader {
  readonly #text: string;
  readonly #profile: XmlProfile;
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #open: OpenElement[] = [];
  #root: XmlElement | null = null;
  #extent = { start: 0, afterName: 0 };
  #elements = 0;
  #attributes = 0;
  #attributesOfOne = 0;

  constructor(text: string, profile: XmlProfile) {
    this.#text = text;
    this.#profile = profile;
    const parser = this.#parser;
    parser.on('error', (error) => this.#refuseSyntax(error));
    parser.on('xmldecl', (declaration) => assertDeclaration(declaration, profile));
    parser.on('doctype', () => refuse('a document type is not accepted'));
    for (const remark of ['comment', 'processinginstruction'] as const)
      parser.on(remark, () => this.#expectRemarks());
    parser.on('cdata', (data) => {
      this.#expectRemarks();
      this.#addText(data);
    });
    parser.on('text', (data) => this.#addText(data));
    parser.on('opentagstart', ({ name }) => this.#begin(name));
    parser.on('attribute', ({ name, value }) => this.#countAttribute(name, value));
    parser.on('opentag', (tag) => this.#push(tag));
    parser.on('closetag', () => this.#pop());
  }

  readRoot(): XmlElement {
    this.#parser.write(this.#text).close();
    return this.#root ?? refuse('has no element');
  }

  #refuseSyntax({ message }: Error): never {
    const { line, column } = this.#parser;
    const reason = REASONS.find(([said]) => said.test(message))?.[1] ?? 'not well-formed';
    return refuse(`${reason} (line ${line}, column ${column})`);
  }

  #expectRemarks(): void {
    if (this.#profile.isStrict)
      refuse('comments, processing instructions and CDATA are not accepted in a message');
  }

  #addText(text: string): void {
    this.#open.at(-1)?.pieces.push(text);
  }

  /** Called after the name of a start tag and the one character that ended it. */
  #begin(name: string): void {
    if (this.#open.length === LIMITS.depth) refuse('nested too deeply');
    if (++this.#elements > this.#profile.elements) refuse('too many elements');
    this.#attributesOfOne = 0;
    const afterName = this.#parser.position - 1;
    this.#extent = { start: afterName - name.length - 1, afterName };
  }

  #countAttribute(name: string, value: string): void {
    if (++this.#attributesOfOne > LIMITS.attributesOfOne)
      refuse('an element has too many attributes');
    if (++this.#attributes > LIMITS.attributes) refuse('too many attributes');
    // saxes trims the names of namespaces, the verifier of signatures does not.
    if (/^xmlns(:|$)/.test(name) && value.trim() !== value)
      refuse('a namespace declaration has blanks around its name');
  }

  #push(tag: Tag): void {
    const inherited = this.#open.at(-1)?.scope ?? new Map<string, string>();
    const scope = resolveScope(tag, inherited);
    const extent = { ...this.#extent, end: 0, inherited, declared: tag.ns };
    const attributes = readTagAttributes(tag);
    assertName(tag.local);
    this.#open.push({
      namespace: tag.uri,
      name: tag.local,
      attributes,
      children: [],
      pieces: [],
      scope,
      extent,
      standalone: () => toStandaloneText(this.#text, extent),
    });
  }

  #pop(): void {
    const closed = this.#open.pop();
    if (!closed) return;
    const { extent, scope: _, pieces, ...rest } = closed;
    extent.end = this.#parser.position;
    const element = { ...rest, text: pieces.join('') };
    const parent = this.#open.at(-1);
    if (parent) parent.children.push(element);
    else this.#root = element;
  }
}

function refuse(reason: string): never {
  throw new UnsafeXml(reason);
}

function assertDeclaration(
  { version, encoding = 'UTF-8' }: { version?: string; encoding?: string },
  { isStrict }: XmlProfile,
): void {
  if (version !== '1.0') refuse('only XML 1.0 is accepted');
  if (isStrict && !/^utf-8$/i.test(encoding)) refuse('only UTF-8 is accepted');
}

function assertName(name: string): void {
  if (!NAME.test(name)) refuse('a name has characters beyond ASCII');
}

function resolveScope({ ns }: Tag, inherited: Scope): Scope {
  const declared = Object.entries(ns);
  if (declared.length === 0) return inherited;
  for (const [prefix] of declared) if (prefix !== '') assertName(prefix);
  if (Object.hasOwn(ns, 'xml') || Object.hasOwn(ns, 'xmlns'))
    refuse('a namespace declaration is not allowed');
  const scope = new Map([...inherited, ...declared]);
  return scope.size > LIMITS.namespaces ? refuse('too many namespaces') : scope;
}

function readTagAttributes(tag: Tag): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const { name, prefix, local, uri, value } of Object.values(tag.attributes)) {
    if (name === 'xmlns' || prefix === 'xmlns') continue;
    assertName(local);
    attributes.set(prefix === '' ? local : `{${uri}}${local}`, value);
  }
  return attributes;
}

function toStandaloneText(text: string, extent: Extent): string {
  const { start, afterName, end, inherited, declared } = extent;
  const declarations = [...inherited]
    .filter(([prefix]) => !Object.hasOwn(declared, prefix))
    .map(([prefix, uri]) => ` ${prefix ? `xmlns:${prefix}` : 'xmlns'}="${escapeXml(uri)}"`);
  return text.slice(start, afterName) + declarations.join('') + text.slice(afterName, end);
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
export function findChildren(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}
