// The strict reader of XML: it reads valid documents and refuses all others fast.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  escapeXml,
  MAX_CHARACTERS,
  parseXml,
  UnsafeXml,
  withDescendants,
  type XmlElement,
} from '../src/xml/xml.ts';

interface Tree {
  name: string;
  attributes: Record<string, string>;
  children: (Tree | string)[];
}

const name = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/)
  .filter((text) => !/^xml/i.test(text));
/** Any text of XML; the reader normalizes line breaks. */
const text = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map((any) => any.replace(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, ''));
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    name,
    attributes: fc.dictionary(name, text, { maxKeys: 4, noNullPrototype: true }),
    children: fc.array(fc.oneof({ maxDepth: 4 }, text, tie('tree')), { maxLength: 4 }),
  }),
}));

const write = ({ name: tag, attributes, children }: Tree): string => {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const content = children.map((child) =>
    typeof child === 'string' ? escapeXml(child) : write(child),
  );
  return `<${tag}${written.join('')}>${content.join('')}</${tag}>`;
};
const plain = (element: XmlElement): object => ({
  name: element.name,
  attributes: Object.fromEntries(element.attributes),
  text: element.text,
  children: element.children.map(plain),
});
const expected = ({ name: tag, attributes, children }: Tree): object => ({
  name: tag,
  attributes,
  text: children.filter((child) => typeof child === 'string').join(''),
  children: children.filter((child) => typeof child !== 'string').map(expected),
});

test('reads back written documents', () => {
  fc.assert(
    fc.property(tree, (any) => {
      expect(plain(parseXml(write(any)))).toEqual(expected(any));
    }),
  );
});

test('any text is read or refused', () => {
  const pieces = [
    '<',
    '>',
    '</',
    '/>',
    '<a',
    '<a b="',
    '"',
    '&',
    ';',
    '&#x',
    '<!--',
    '<?',
    '<![CDATA[',
    'xmlns:a=',
    ' ',
    'a',
    ':',
    '=',
  ];
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 }))),
      (parts) => {
        try {
          parseXml(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(UnsafeXml);
        }
      },
    ),
  );
});

test('any element is the same when read as a standalone document', () => {
  const document =
    '<a xmlns="u:1" xmlns:x="u:2&amp;" x:b="1">t<x:c d="&lt;"><e xmlns=""><x:f/></e></x:c></a>';
  for (const element of withDescendants(parseXml(document))) {
    const alone = parseXml(element.standalone());
    expect([...withDescendants(alone)].map(({ namespace, name: tag }) => [namespace, tag])).toEqual(
      [...withDescendants(element)].map(({ namespace, name: tag }) => [namespace, tag]),
    );
    expect(plain(alone)).toEqual(plain(element));
  }
});

describe('is read', () => {
  test.for<[string, Partial<XmlElement>]>([
    ['<?xml version="1.0" encoding="UTF-8"?>\n<a/>\n', { name: 'a', namespace: '' }],
    ["<?xml version='1.0' encoding='utf-8' standalone='no' ?><a/>", { name: 'a' }],
    ['\ufeff<a/>', { name: 'a' }],
    ['<p:a xmlns:p="u"/>', { name: 'a', namespace: 'u' }],
    [
      '<a b = "1"\n c=\'2\'/>',
      {
        attributes: new Map([
          ['b', '1'],
          ['c', '2'],
        ]),
      },
    ],
    ['<a b="x\ty"/>', { attributes: new Map([['b', 'x y']]) }],
    [
      '<p:a xmlns:p="u" p:b="1" b="2"/>',
      {
        attributes: new Map([
          ['{u}b', '1'],
          ['b', '2'],
        ]),
      },
    ],
    [
      '<a xml:lang="de"/>',
      { attributes: new Map([['{http://www.w3.org/XML/1998/namespace}lang', 'de']]) },
    ],
    ['<a>1\r\n2\r3&#13;4&#x1F600;&amp;amp;</a>', { text: '1\n2\n3\r4😀&amp;' }],
    ['<a>1<b/>2</a>', { text: '12' }],
  ])('%j', ([xml, found]) => {
    expect(parseXml(xml)).toMatchObject(found);
  });
});

describe('is refused', () => {
  test.for([
    ...[
      '',
      ' ',
      'a',
      '<a>',
      '</a>',
      '<a></b>',
      '<a/><b/>',
      '<a/>x',
      'x<a/>',
      '<a',
      '<a b/>',
      '<a b=c/>',
      '<a b="<"/>',
    ],
    ...[
      '<a b="1"b="2"/>',
      '<a b="1" b="2"/>',
      '< a/>',
      '<a/ >',
      '<a></a b="1">',
      '<1/>',
      '<ä/>',
      '<a:/>',
      '<:a/>',
      '<a:b:c/>',
    ],
    ...[
      '<!DOCTYPE a><a/>',
      '<!doctype a><a/>',
      '<a><!-- --></a>',
      '<a/><!-- -->',
      '<a><?b?></a>',
      '<a><![CDATA[]]></a>',
    ],
    ...[
      '<?xml version="1.1"?><a/>',
      '<?xml version="1.0" encoding="UTF-16"?><a/>',
      ' <?xml version="1.0"?><a/>',
    ],
    ...[
      '<a>&b;</a>',
      '<a>&</a>',
      '<a>&#0;</a>',
      '<a>&#xD800;</a>',
      '<a>&#x110000;</a>',
      '<a>&#xFFFFFFFF;</a>',
      '<a>]]></a>',
    ],
    ...['<a>\0</a>', '<a>\u0001</a>', '<a>\ufffe</a>', '<a>\ud800</a>', '<a b="&constructor;"/>'],
    ...[
      '<p:a/>',
      '<a p:b="1"/>',
      '<a xmlns:p=""/>',
      '<a xmlns:xml="u"/>',
      '<a xmlns:xml="http://www.w3.org/XML/1998/namespace"/>',
      '<a xmlns:xmlns="u"/>',
      '<xmlns:a/>',
    ],
    ...[
      '<a xmlns:p="u" xmlns:p="u"/>',
      '<a xmlns="u" xmlns="v"/>',
      '<a xmlns:p="u" xmlns:q="u" p:b="" q:b=""/>',
    ],
    '<a xmlns:p="http://www.w3.org/2000/xmlns/"/>',
  ])('%j', (xml) => {
    expect(() => parseXml(xml)).toThrow(UnsafeXml);
  });

  const many = (count: number, make: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => make(n)).join('');
  test.for<[string, string, string]>([
    [
      'characters',
      `<a>${'x'.repeat(MAX_CHARACTERS - 7)}</a>`,
      `<a>${'x'.repeat(MAX_CHARACTERS - 6)}</a>`,
    ],
    ['elements', `<a>${'<b/>'.repeat(1999)}</a>`, `<a>${'<b/>'.repeat(2000)}</a>`],
    ['depth', '<a>'.repeat(50) + '</a>'.repeat(50), '<a>'.repeat(51) + '</a>'.repeat(51)],
    [
      'attributes of one',
      `<a ${many(32, (n) => ` b${n}=""`)}/>`,
      `<a ${many(33, (n) => ` b${n}=""`)}/>`,
    ],
    [
      'attributes',
      `<a>${'<b c="" d=""/>'.repeat(1999)}<b c="" d=""/></a>`.replace('<b c="" d=""/>', ''),
      `<a>${'<b c="" d="" e=""/>'.repeat(1334)}</a>`,
    ],
  ])('more %s than there may be', ([, most, more]) => {
    expect(() => parseXml(most)).not.toThrow();
    expect(() => parseXml(more)).toThrow(UnsafeXml);
  });
});
