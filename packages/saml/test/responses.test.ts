// SAML responses without HTTP: every forgery is refused for its own reason, and variants of real providers are read.
import { createPrivateKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SamlError } from '../src/saml-error.ts';
import { readResponse, type ResponseRequest } from '../src/reader.ts';
import {
  clock,
  DENIED,
  FORGERIES,
  honest,
  idp,
  ours,
  signed,
} from '../../../test/api/sign-on/saml/saml-forgeries.ts';
import {
  toBase64,
  EMAIL_ATTRIBUTE,
  renderResponse,
  type SamlRequest,
} from '../../../test/setup/providers/identity-provider-saml.ts';

const key = createPrivateKey(ours.key);
const acs = 'https://assay.example.com/api/v1/auth/saml/callback';
const asked: SamlRequest = {
  id: '_q',
  issuer: 'https://assay.example.com/us',
  relayState: '',
  query: new URLSearchParams(),
  xml: `AssertionConsumerServiceURL="${acs}"`,
};
const question = (message: string, more: Partial<ResponseRequest> = {}): ResponseRequest =>
  Object.assign(
    {
      kind: 'response',
      base64: message,
      certificates: [idp.pair.certificate],
      issuer: idp.entityId,
      audience: asked.issuer,
      recipient: acs,
      inResponseTo: asked.id,
      needsSessionIndex: true,
      now: clock.now(),
    } as const,
    more,
  );
const read = (xml: string, more: Partial<ResponseRequest> = {}) =>
  readResponse(question(toBase64(xml), more), key);

describe.each(FORGERIES)('%s', (_, rows) => {
  test.for(rows)('%s', async ([name, reason, forge]) => {
    const message = await forge(asked);
    let problem: unknown = null;
    try {
      readResponse(question(message), key);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(SamlError);
    expect(problem).toMatchObject({
      message: expect.stringMatching(reason),
      isDenial: name === DENIED,
    });
  });
});

describe('is read', () => {
  const plain = renderResponse(
    honest(asked, { attributes: { [EMAIL_ATTRIBUTE]: ['a@b.example'], groups: ['x', 'y'] } }),
  );
  const sign = (xml: string): string => idp.sign(xml, 'Assertion');
  const confirmation = /<saml:SubjectConfirmation [\s\S]*<\/saml:SubjectConfirmation>/;

  /** The form of libraries that indent before they sign. */
  const indented = (xml: string): string =>
    xml.replace(/></g, '>\n  <').replace(/>([^<>\s][^<>]*)</g, '>\r\n\t $1 \n<');

  test.for<[string, (xml: string) => string]>([
    ['the ordinary', (xml) => xml],
    ['one that is indented throughout', indented],
    [
      'whitespace around addresses and times',
      (xml) =>
        xml.replace(
          / (Destination|Recipient|NotOnOrAfter|Format|Method)="([^"]+)"/g,
          ' $1="\n $2\t"',
        ),
    ],
    ['no Destination', (xml) => xml.replace(/ Destination="[^"]+"/, '')],
    [
      'an issuer with a format attribute',
      (xml) =>
        xml.replace(
          /<saml:Issuer/g,
          '$& Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity"',
        ),
    ],
    [
      'a confirmation for another recipient before ours',
      (xml) =>
        xml.replace(confirmation, (one) => one.replace(acs, 'https://other.example.com/acs') + one),
    ],
    [
      'our confirmation before an expired one and a holder-of-key one',
      (xml) =>
        xml.replace(
          confirmation,
          (one) =>
            one +
            one.replace(/NotOnOrAfter="[^"]+"/, `NotOnOrAfter="${idp.toInstant(-100)}"`) +
            '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"/>',
        ),
    ],
    [
      'a confirmation that has become valid',
      (xml) => xml.replace('<saml:SubjectConfirmationData', `$& NotBefore="${idp.toInstant(-5)}"`),
    ],
    ['no beginning of the conditions', (xml) => xml.replace(/ NotBefore="[^"]+"/, '')],
    [
      'the conditions of the SAML standard',
      (xml) =>
        xml.replace(
          '</saml:Conditions>',
          '<saml:OneTimeUse/><saml:ProxyRestriction/></saml:Conditions>',
        ),
    ],
    [
      'several audience restrictions that include us',
      (xml) =>
        xml.replace(
          /<saml:AudienceRestriction>[\s\S]*<\/saml:AudienceRestriction>/,
          (one) => one.replace('<saml:Audience>', '<saml:Audience>urn:x</saml:Audience>$&') + one,
        ),
    ],
    [
      'two attribute statements',
      (xml) =>
        xml.replace(
          /<saml:Attribute Name="groups"/,
          '</saml:AttributeStatement><saml:AttributeStatement>$&',
        ),
    ],
    ['fractions of a second', (xml) => xml.replace(/\.\d{3}Z"/g, '.1234567Z"')],
    ['no fractions of a second', (xml) => xml.replace(/\.\d{3}Z"/g, 'Z"')],
    ['no end of the session', (xml) => xml.replace(/ SessionNotOnOrAfter="[^"]+"/, '')],
  ])('%s', ([, change]) => {
    const assertion = read(sign(change(plain)));
    expect(assertion).toMatchObject({
      nameId: expect.stringMatching(/^mallory@[a-z.]+$/),
      hasEncryptedAttributes: false,
    });
    expect(assertion.nameIdFormat).toMatch(/^urn:.*emailAddress$/);
    expect(Object.fromEntries(assertion.attributes)).toEqual({
      [EMAIL_ATTRIBUTE]: ['a@b.example'],
      groups: ['x', 'y'],
    });
    expect([...assertion.structured]).toEqual([]);
  });

  test('times within a minute of ours, but not beyond', () => {
    const said = (notBefore: number, notOnOrAfter: number): string =>
      sign(
        renderResponse(
          honest(asked, {
            notBefore: idp.toInstant(notBefore),
            notOnOrAfter: idp.toInstant(notOnOrAfter),
            confirmedUntil: idp.toInstant(notOnOrAfter),
            issueInstant: idp.toInstant(notBefore),
          }),
        ),
      );
    const now = clock.now();
    const at = (xml: string) => () => read(xml, { now });
    expect(at(said(58, -58))).not.toThrow();
    expect(at(said(62, 0))).toThrow('not valid yet');
    expect(at(said(0, -62))).toThrow('expired');
  });

  test('times with milliseconds', () => {
    const now = new Date(Date.now() + 3_600_000);
    const edge = (ms: number): string => new Date(now.getTime() + ms).toISOString();
    const until = (ms: number) => () =>
      read(
        sign(
          renderResponse(
            honest(asked, { notOnOrAfter: edge(ms), confirmedUntil: edge(10), sessionUntil: null }),
          ),
        ),
        { now },
      );
    const from = (ms: number) => () =>
      read(
        sign(
          renderResponse(
            honest(asked, {
              notBefore: edge(ms),
              notOnOrAfter: edge(90_000),
              confirmedUntil: edge(10),
              sessionUntil: null,
            }),
          ),
        ),
        { now },
      );
    expect(until(-60_000)).toThrow('Conditions has expired');
    expect(until(-59_999)).not.toThrow();
    expect(from(60_000)).not.toThrow();
    expect(from(60_001)).toThrow('Conditions is not valid yet');
  });

  test('signed prefixes that seem unused, up to 200 characters', () => {
    const list = `<x:InclusiveNamespaces xmlns:x="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="${'a'.repeat(200)}"/>`;
    const xml = sign(plain).replace(
      /(<ds:Transform Algorithm="[^"]+xml-exc-c14n#")\/>/,
      `$1>${list}</ds:Transform>`,
    );
    // Its form is accepted, but it is not what was signed.
    expect(() => read(xml)).toThrow('The signature of Assertion is invalid');
  });

  test('base64 in the form of Java, with a carriage return in each line', () => {
    const xml = sign(plain).replace(/(?<=<ds:SignatureValue>)[^<]+/, (value) =>
      value.replace(/.{76}/g, '$&&#13;\n'),
    );
    expect(xml).toContain('&#13;');
    expect(read(xml).nameId).toMatch(/^mallory@/);
  });

  describe('several statements of authentication', () => {
    type Stated = [
      index: string | null,
      seconds: number | null,
      end?: string | undefined,
      since?: number,
    ];
    const state = ([index, seconds, end, since = -5]: Stated): string =>
      [
        `<saml:AuthnStatement AuthnInstant="${idp.toInstant(since)}"`,
        index === null ? '' : ` SessionIndex="${index}"`,
        seconds === null ? '' : ` SessionNotOnOrAfter="${end ?? idp.toInstant(seconds)}"`,
        '><saml:AuthnContext/></saml:AuthnStatement>',
      ].join('');
    const readStating = (sessionUntil: number | null, stated: readonly Stated[]) => {
      const until = sessionUntil === null ? null : idp.toInstant(sessionUntil);
      const statements = stated.map(state).join('');
      const content = { sessionIndex: 'first', sessionUntil: until, statements };
      return read(sign(renderResponse(honest(asked, content))));
    };

    test.each<[string, number | null, Stated[], string[], number | null]>([
      ['the earliest end counts', 300, [['second', 100]], ['first', 'second'], 100],
      ['one without an end has none', 300, [['second', null]], ['first', 'second'], 300],
      ['none with an end', null, [['second', null]], ['first', 'second'], null],
      ['one that is over opens no session', -61, [['second', 100]], ['second'], 100],
      ['one that is over, at last', 200, [['second', -61]], ['first'], 200],
      [
        'three',
        200,
        [
          ['b', 90],
          ['c', 150],
        ],
        ['first', 'b', 'c'],
        90,
      ],
    ])('%s', (_, until, statements, indexes, seconds) => {
      const { sessionIndex, otherIndexes, sessionEndsAt } = readStating(until, statements);
      expect([sessionIndex, ...otherIndexes]).toEqual(indexes);
      if (seconds === null) expect(sessionEndsAt).toBeNull();
      else expect(sessionEndsAt?.getTime()).toBeCloseTo(clock.now().getTime() + seconds * 1000, -4);
    });

    test.each<[string, Stated[], RegExp]>([
      ['all are over', [['second', -100]], /has expired/],
      ['one without the index that single logout needs', [[null, 100]], /no SessionIndex/],
      ['one that is over, without an index', [[null, -100]], /no SessionIndex/],
      ['an end that is no time', [['second', 1, 'soon']], /no. a UTC time/],
      ['one of the future', [['b', 100, undefined, 65]], /not valid yet/],
      ['too many', Array.from({ length: 10 }, (_, n) => [`s${n}`, 100] as Stated), /too many/],
    ])('refused: %s', (what, statements, why) => {
      expect(() => readStating(what === 'all are over' ? -61 : 300, statements)).toThrow(why);
    });
  });

  test('end and index of the session at the provider', () => {
    const xml = sign(
      renderResponse(honest(asked, { sessionIndex: ' s-1 ', sessionUntil: idp.toInstant(100) })),
    );
    expect(read(xml)).toMatchObject({ sessionIndex: 's-1' });
    expect(read(xml).sessionEndsAt?.getTime()).toBeCloseTo(clock.now().getTime() + 100_000, -4);
    const bare = sign(renderResponse(honest(asked, { sessionIndex: null, sessionUntil: null })));
    expect(read(bare, { needsSessionIndex: false })).toMatchObject({
      sessionIndex: null,
      sessionEndsAt: null,
    });
  });

  test('attributes with text values, and the names of those with other contents', () => {
    const value = (content: string): string =>
      `<saml:AttributeValue>${content}</saml:AttributeValue>`;
    const statement = `<saml:AttributeStatement><saml:Attribute Name="groups">${value(' a ')}${value('<saml:NameID>b</saml:NameID>')}</saml:Attribute><saml:Attribute Name="none"/><saml:EncryptedAttribute/></saml:AttributeStatement>`;
    const xml = renderResponse(honest(asked)).replace(
      '</saml:Assertion>',
      `${statement}</saml:Assertion>`,
    );
    const { attributes, structured, hasEncryptedAttributes } = read(sign(xml));
    expect(Object.fromEntries(attributes)).toEqual({ groups: ['a'], none: [] });
    expect([[...structured], hasEncryptedAttributes]).toEqual([['groups'], true]);
  });

  test('Unicode whitespace in a name is kept', () => {
    const odd = '\u00a0mal lory\u3000';
    expect(read(sign(renderResponse(honest(asked, { nameId: odd })))).nameId).toBe(odd);
  });

  test('with another certificate first, during a rollover', () => {
    const certificates = [ours.certificate, idp.pair.certificate];
    expect(read(signed(asked), { certificates }).nameId).toMatch(/^mallory@/);
  });
});
