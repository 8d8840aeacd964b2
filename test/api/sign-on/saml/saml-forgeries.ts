// Forged responses that must not sign in: each is an honest one with one defect, and the reason of its refusal.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import {
  EMAIL_FORMAT,
  findAssertion,
  renderResponse,
  type ResponseContent,
  SamlIdentityProvider,
  type SamlRequest,
  type Signing,
  toBase64,
} from '../../../setup/providers/identity-provider-saml.ts';
import { wrapAssertion, wrappings } from '../../../setup/providers/saml-wrapping.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import { createSelfSigned } from '../../../setup/providers/self-signed.ts';

const DS = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const DOMAIN = 'hostile.example.com';
const PERSON = `mallory@${DOMAIN}`;
const VICTIM = `victim@${DOMAIN}`;
export const ours = createSelfSigned('assay');
export const stranger = createSelfSigned('stranger');
export const clock = new MovedClock();
export const idp = new SamlIdentityProvider(clock.now);

const person = { nameIdFormat: EMAIL_FORMAT };
export const honest = (asked: SamlRequest, more: Partial<ResponseContent> = {}) =>
  Object.assign(idp.createContent(asked, PERSON), person, more);
export const signed = (
  asked: SamlRequest,
  more: Partial<ResponseContent> = {},
  how: Partial<Signing> = {},
): string => idp.sign(renderResponse(honest(asked, more)), 'Assertion', how);

type Forgery = (asked: SamlRequest) => string | Promise<string>;
type Row = [name: string, reason: RegExp, forge: Forgery];
/** The identity provider said so, and the browser gets it too. */
export const DENIED = 'another status';

const saying = (
  name: string,
  reason: RegExp,
  more: (asked: SamlRequest) => Partial<ResponseContent>,
): Row => [name, reason, (asked) => toBase64(signed(asked, more(asked)))];
const how = (name: string, reason: RegExp, signing: Partial<Signing>): Row => [
  name,
  reason,
  (asked) => toBase64(signed(asked, {}, signing)),
];
/** The document is signed and then changed. */
const changed = (name: string, reason: RegExp, change: (xml: string) => string): Row => [
  name,
  reason,
  (asked) => {
    const xml = signed(asked);
    const result = change(xml);
    expect(result).not.toBe(xml);
    return toBase64(result);
  },
];
/** The document is changed and then signed, as a provider of bad intent does. */
const written = (name: string, reason: RegExp, change: (xml: string) => string): Row => [
  name,
  reason,
  (asked) => {
    const xml = renderResponse(honest(asked));
    const result = change(xml);
    expect(result).not.toBe(xml);
    return toBase64(idp.sign(result, 'Assertion'));
  },
];
const elsewhere = 'https://elsewhere.example.com/acs';
const before = (mark: string, more: string) => (xml: string) =>
  xml.replace(mark, () => more + mark);

const SIGNATURES: Row[] = [
  ['nothing signed', /Assertion is not signed/, (asked) => toBase64(renderResponse(honest(asked)))],
  [
    'only the response signed',
    /Assertion is not signed/,
    (asked) => toBase64(idp.sign(renderResponse(honest(asked)), 'Response')),
  ],
  [
    'the response signed by another party',
    /signature of Response is invalid/,
    (asked) => toBase64(idp.sign(signed(asked), 'Response', { pair: stranger })),
  ],
  how('a certificate that is not the provider’s', /is invalid/, { pair: stranger }),
  how('the key shown in KeyInfo', /is invalid/, {
    pair: stranger,
    shown: stranger.certificate,
  }),
  how('the provider’s certificate shown, another key used', /is invalid/, {
    pair: stranger,
    shown: idp.pair.certificate,
  }),
  how('SHA-1 signature', /Algorithm of SignatureMethod/, { signatureAlgorithm: `${DS}rsa-sha1` }),
  how('SHA-1 digest', /Algorithm of DigestMethod/, { digestAlgorithm: `${DS}sha1` }),
  how('HMAC with the public key', /Algorithm of SignatureMethod/, {
    signatureAlgorithm: `${DS}hmac-sha1`,
  }),
  how('inclusive canonicalisation', /Algorithm of CanonicalizationMethod/, {
    canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  }),
  ...[
    'http://www.w3.org/TR/1999/REC-xslt-19991116',
    'http://www.w3.org/TR/1999/REC-xpath-19991116',
    `${DS}base64`,
  ].map((transform) =>
    how(`the transform ${transform}`, /unexpected transforms/, {
      transforms: [transform, `${DS}enveloped-signature`, EXCLUSIVE],
    }),
  ),
  how('no canonical form of what is signed', /unexpected transforms/, {
    transforms: [`${DS}enveloped-signature`],
  }),
  changed('an empty reference', /does not reference it/, (xml) =>
    xml.replace(/ URI="[^"]+"/, ' URI=""'),
  ),
  changed('a reference to the response', /does not reference it/, (xml) =>
    xml.replace(/ URI="[^"]+"/, ' URI="#_r1"'),
  ),
  changed('no reference address', /does not reference it/, (xml) =>
    xml.replace(/ URI="[^"]+"/, ''),
  ),
  changed('two references', /more than one Reference/, (xml) =>
    xml.replace(/<ds:Reference[\s\S]*<\/ds:Reference>/, '$&$&'),
  ),
  changed('two signatures', /more than one signature/, (xml) =>
    xml.replace(/<ds:Signature [\s\S]*?<\/ds:Signature>/, '$&$&'),
  ),
  changed('two descriptions of what is signed', /more than one SignedInfo/, (xml) =>
    xml.replace(/<ds:SignedInfo>[\s\S]*<\/ds:SignedInfo>/, '$&$&'),
  ),
  changed('an altered name', /is invalid/, (xml) => xml.replace(`>${PERSON}<`, `>${VICTIM}<`)),
  changed('an altered signature', /is invalid/, (xml) =>
    xml.replace(/(?<=<ds:SignatureValue>)./, (first) => (first === 'A' ? 'B' : 'A')),
  ),
  changed('an altered digest', /is invalid/, (xml) => xml.replace(/(<ds:DigestValue>)./, '$1*')),
  changed('a list of a thousand prefixes', /Transform has unexpected content/, (xml) =>
    xml.replace(
      /(<ds:Transform Algorithm="[^"]+xml-exc-c14n#")\/>/,
      `$1><x:InclusiveNamespaces xmlns:x="${EXCLUSIVE}" PrefixList="${'a '.repeat(1000)}"/></ds:Transform>`,
    ),
  ),
  changed('the signature in another namespace', /in the wrong place/, (xml) =>
    xml.replace(`xmlns:ds="${DS}"`, 'xmlns:ds="http://www.w3.org/2000/09/xmldsig2#"'),
  ),
  changed('the only signature below the subject', /in the wrong place/, (xml) => {
    const [signature = ''] = /<ds:Signature [\s\S]*?<\/ds:Signature>/.exec(xml) ?? [];
    return xml.replace(signature, '').replace('<saml:NameID', () => `${signature}<saml:NameID`);
  }),
  // What is not of the accepted form is refused for its form, before anything is verified.
  ...['Signature', 'SignedInfo', 'Reference', 'Transforms'].flatMap((parent) =>
    ['<ds:Object/>', '<x:KeyInfo xmlns:x="urn:x"/>', '<x:Transform xmlns:x="urn:x"/>'].map((more) =>
      changed(`${more} in ${parent}`, new RegExp(`^${parent} has unexpected content$`), (xml) =>
        xml.replace(`</ds:${parent}>`, `${more}</ds:${parent}>`),
      ),
    ),
  ),
  ...['CanonicalizationMethod', 'SignatureMethod', 'DigestMethod', 'Transform'].flatMap((parent) =>
    [
      '<ds:HMACOutputLength>8</ds:HMACOutputLength>',
      `<x:XPath xmlns:x="${EXCLUSIVE}"/>`,
      '<x:InclusiveNamespaces xmlns:x="urn:x"/>',
      `<x:InclusiveNamespaces xmlns:x="${EXCLUSIVE}" PrefixList="${'a'.repeat(201)}"/>`,
      `<x:InclusiveNamespaces xmlns:x="${EXCLUSIVE}"/>`.repeat(2),
    ].map((more) =>
      changed(`${more} in ${parent}`, new RegExp(`^${parent} has unexpected content$`), (xml) =>
        xml.replace(
          new RegExp(`(<ds:${parent} Algorithm="[^"]+")/>(?![\\s\\S]*<ds:${parent} )`),
          `$1>${more}</ds:${parent}>`,
        ),
      ),
    ),
  ),
  ...['SignedInfo', 'SignatureValue', 'CanonicalizationMethod', 'SignatureMethod', 'Reference'].map(
    (name) =>
      changed(`no ${name}`, new RegExp(`(Signature|SignedInfo) has no ${name}$`), (xml) =>
        xml.replace(new RegExp(`<ds:${name}[ >](?:[\\s\\S]*?</ds:${name}>|[^>]*/>)`), ''),
      ),
  ),
  ...['DigestMethod', 'Transforms'].map((name) =>
    changed(`no ${name}`, new RegExp(`^Reference has no ${name}$`), (xml) =>
      xml.replace(new RegExp(`<ds:${name}[ >](?:[\\s\\S]*?</ds:${name}>|[^>]*/>)`), ''),
    ),
  ),
  changed('no algorithm', /^SignatureMethod has no Algorithm$/, (xml) =>
    xml.replace(/(<ds:SignatureMethod) Algorithm="[^"]+"/, '$1'),
  ),
  changed('an empty signature value', /^SignatureValue is empty$/, (xml) =>
    xml.replace(/(<ds:SignatureValue>)[^<]+/, '$1'),
  ),
  changed('the transforms the other way round', /unexpected transforms/, (xml) =>
    xml.replace(/(<ds:Transform [^>]+>)(<ds:Transform [^>]+>)/, '$2$1'),
  ),
  changed('one transform more', /unexpected transforms/, (xml) =>
    xml.replace(/(<ds:Transform [^>]+>)(?=<\/ds:Transforms>)/, '$1$1'),
  ),
  changed('no ID of the assertion', /^ID of Assertion is not an identifier$/, (xml) =>
    xml.replace(/(<saml:Assertion) ID="[^"]+"/, '$1'),
  ),
  ...['1a', 'a b', 'a#b', ' a'].map((id) =>
    changed(`the ID ${id}`, /^ID of Assertion is not an identifier$/, (xml) =>
      xml.replace(/(<saml:Assertion) ID="[^"]+"/, `$1 ID="${id}"`),
    ),
  ),
];

const SAID: Row[] = [
  saying('another place in Recipient', /Recipient of SubjectConfirmationData/, () => ({
    recipient: elsewhere,
  })),
  saying('no Recipient', /no Recipient/, () => ({ recipient: null })),
  saying('another Destination', /Destination of Response/, () => ({ destination: elsewhere })),
  saying('an empty Destination', /Destination of Response/, () => ({ destination: '' })),
  [
    'no Destination of a signed response',
    /no Destination/,
    (asked) => toBase64(idp.sign(signed(asked, { destination: null }), 'Response')),
  ],
  saying('another Audience', /another audience/, () => ({ audience: elsewhere })),
  saying('an Audience that begins like ours', /another audience/, ({ issuer }) => ({
    audience: `${issuer}/x`,
  })),
  saying('no Audience', /another audience/, () => ({ audience: null })),
  saying('a second restriction to another audience', /another audience/, () => ({
    conditions:
      '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>',
  })),
  saying('an unknown condition', /unknown condition/, () => ({
    conditions: '<saml:Condition/>',
  })),
  saying('another Issuer of the response', /Issuer of Response/, () => ({
    responseIssuer: elsewhere,
  })),
  saying('no Issuer of the response', /Response has no Issuer/, () => ({ responseIssuer: null })),
  saying('another Issuer of the assertion', /Issuer of Assertion/, () => ({
    assertionIssuer: elsewhere,
  })),
  saying('another InResponseTo of the response', /InResponseTo of Response/, () => ({
    responseInResponseTo: '_x',
  })),
  saying('no InResponseTo of the response', /Response has no InResponseTo/, () => ({
    responseInResponseTo: null,
  })),
  saying('another InResponseTo in the subject', /InResponseTo of SubjectConf/, () => ({
    inResponseTo: '_x',
  })),
  saying('no InResponseTo in the subject', /ConfirmationData has no InResponseTo/, () => ({
    inResponseTo: null,
  })),
  saying('conditions that have expired', /Conditions has expired/, () => ({
    notOnOrAfter: idp.toInstant(-61),
  })),
  saying('conditions without an end', /Conditions has no NotOnOrAfter/, () => ({
    notOnOrAfter: null,
  })),
  saying('conditions yet to come', /Conditions is not valid yet/, () => ({
    notBefore: idp.toInstant(65),
  })),
  saying('a confirmation that has expired', /ConfirmationData has expired/, () => ({
    confirmedUntil: idp.toInstant(-61),
  })),
  saying('a confirmation without an end', /ConfirmationData has no NotOnOrAfter/, () => ({
    confirmedUntil: null,
  })),
  saying('a time that is none', /not a UTC time/, () => ({ notOnOrAfter: 'tomorrow' })),
  saying('a time of another zone', /not a UTC time/, () => ({
    notOnOrAfter: '2099-01-01T00:00:00+01:00',
  })),
  saying('issued in the future', /not valid yet \(IssueInstant\)/, () => ({
    issueInstant: idp.toInstant(65),
  })),
  saying('a session at the provider that is over', /SessionNotOnOrAfter/, () => ({
    sessionUntil: idp.toInstant(-61),
  })),
  saying('no name of the session, where it can be ended', /no SessionIndex/, () => ({
    sessionIndex: null,
  })),
  saying('sender-vouches', /Method of SubjectConfirmation/, () => ({
    method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches',
  })),
  saying('no confirmation', /no SubjectConfirmation/, () => ({ method: null })),
  saying('no authentication', /no AuthnStatement/, () => ({ authnInstant: null })),
  saying('no NameID', /no NameID/, () => ({ nameId: null })),
  saying('an empty NameID', /NameID is empty/, () => ({ nameId: '' })),
  saying('a transient NameID', /transient/, () => ({
    nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  })),
  saying('another version', /Version of Response/, () => ({ version: '1.1' })),
  saying(DENIED, /authentication failed/, () => ({
    status: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed',
  })),
  saying('another status in the answer to another request', /^InResponseTo of Response/, () => ({
    status: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed',
    responseInResponseTo: '_other',
  })),
  saying('no status', /no Status/, () => ({ status: null })),
  saying('an identifier that is a path', /not an identifier/, () => ({
    assertionId: 'a] | //*[@x',
  })),
  written('an element in NameID', /NameID must contain only text/, (xml) =>
    xml.replace(`>${PERSON}<`, `>${VICTIM}<saml:x/>.${PERSON}<`),
  ),
  written(
    'two confirmations of which none holds',
    /^Recipient of .*; InResponseTo of [^;]*$/,
    (xml) =>
      xml.replace(
        /<saml:SubjectConfirmation [\s\S]*<\/saml:SubjectConfirmation>/,
        (one) =>
          one.replace(/Recipient="[^"]+"/, `Recipient="${elsewhere}"`) +
          one.replace(/InResponseTo="[^"]+"/, 'InResponseTo="_x"'),
      ),
  ),
  written(
    'a confirmation of another kind that would hold',
    /^Method of [^;]*; .* has expired/,
    (xml) =>
      xml.replace(
        /<saml:SubjectConfirmation [\s\S]*<\/saml:SubjectConfirmation>/,
        (one) =>
          one.replace('cm:bearer', 'cm:sender-vouches') +
          one.replace(/NotOnOrAfter="[^"]+"/, `NotOnOrAfter="${idp.toInstant(-61)}"`),
      ),
  ),
  written('a confirmation yet to come', /ConfirmationData is not valid yet \(NotBefore\)/, (xml) =>
    xml.replace('<saml:SubjectConfirmationData', `$& NotBefore="${idp.toInstant(65)}"`),
  ),
  written('two sets of data of a confirmation', /more than one SubjectConfirmationData/, (xml) =>
    xml.replace(/<saml:SubjectConfirmationData[^>]*>/, '$&$&'),
  ),
  written('a confirmation without data', /no SubjectConfirmationData/, (xml) =>
    xml.replace(/<saml:SubjectConfirmationData[^>]*>/, ''),
  ),
  written('another version of the assertion alone', /Version of Assertion/, (xml) =>
    xml.replace(/(<saml:Assertion ID="[^"]+" Version=)"2.0"/, '$1"1.1"'),
  ),
  written(
    'an assertion issued in the future',
    /Assertion is not valid yet \(IssueInstant\)/,
    (xml) => xml.replace(/(<saml:Assertion [^>]*IssueInstant=)"[^"]+"/, `$1"${idp.toInstant(65)}"`),
  ),
  written('a time without its zone', /not a UTC time/, (xml) =>
    xml.replace(/(<saml:Assertion [^>]*IssueInstant="[^"]+)Z"/, '$1"'),
  ),
  written('a day that does not exist', /not a UTC time/, (xml) =>
    xml.replace(/(<saml:Assertion [^>]*IssueInstant=)"[^"]+"/, '$1"2026-13-45T00:00:00Z"'),
  ),
  written('no time of the response', /Response has no IssueInstant/, (xml) =>
    xml.replace(/ IssueInstant="[^"]+"/, ''),
  ),
  written('no ID of the response', /Response has no ID/, (xml) => xml.replace(/ ID="[^"]+"/, '')),
  ...['Response', 'Assertion'].map((element) =>
    written(`an issuer of ${element} of another kind`, new RegExp(`Issuer of ${element}`), (xml) =>
      xml.replace(
        new RegExp(`(:${element} [^>]+><saml:Issuer)`),
        `$1 Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"`,
      ),
    ),
  ),
  written('signed on in the future', /AuthnStatement is not valid yet/, (xml) =>
    xml.replace(/AuthnInstant="[^"]+"/, `AuthnInstant="${idp.toInstant(65)}"`),
  ),
  written('no time of the sign-on', /no AuthnInstant/, (xml) =>
    xml.replace(/ AuthnInstant="[^"]+"/, ''),
  ),
  written('an attribute without a name', /Attribute has no Name/, (xml) =>
    xml.replace(
      '</saml:Assertion>',
      '<saml:AttributeStatement><saml:Attribute/></saml:AttributeStatement></saml:Assertion>',
    ),
  ),
  written('a condition of another namespace', /unknown condition/, (xml) =>
    xml.replace('</saml:Conditions>', '<x:OneTimeUse xmlns:x="urn:x"/></saml:Conditions>'),
  ),
  written('no conditions', /no Conditions/, (xml) =>
    xml.replace(/<saml:Conditions[\s\S]*<\/saml:Conditions>/, ''),
  ),
  written('no subject', /no Subject/, (xml) =>
    xml.replace(/<saml:Subject>[\s\S]*<\/saml:Subject>/, ''),
  ),
  written('a status without a value', /StatusCode has no Value/, (xml) =>
    xml.replace(/(<samlp:StatusCode) Value="[^"]+"/, '$1'),
  ),
  written('no code of the status', /Status has no StatusCode/, (xml) =>
    xml.replace(/<samlp:StatusCode [^>]+>/, ''),
  ),
  changed('the assertion below another element', /in the wrong place/, (xml) =>
    xml.replace(
      /<saml:Assertion[\s\S]*<\/saml:Assertion>/,
      '<samlp:Extensions>$&</samlp:Extensions>',
    ),
  ),
  written('two subjects', /more than one Subject/, (xml) =>
    xml.replace(/<saml:Subject>[\s\S]*<\/saml:Subject>/, '$&$&'),
  ),
  written(
    'two names',
    /more than one NameID/,
    before('<saml:NameID', `<saml:NameID>${VICTIM}</saml:NameID>`),
  ),
  written('two conditions', /more than one Conditions/, (xml) =>
    xml.replace(/<saml:Conditions[\s\S]*<\/saml:Conditions>/, '$&$&'),
  ),
];

const DOCTYPE = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
const XML: Row[] = [
  changed('a comment in NameID', /are not accepted in a message/, (xml) =>
    xml.replace(`>${PERSON}<`, `>${PERSON}<!--x-->.evil<`),
  ),
  written('a signed comment in NameID', /are not accepted in a message/, (xml) =>
    xml.replace(`>${PERSON}<`, `>${VICTIM}<!--x-->.${PERSON}<`),
  ),
  changed(
    'a comment before the document',
    /are not accepted in a message/,
    (xml) => `<!-- -->${xml}`,
  ),
  changed(
    'a comment behind the document',
    /are not accepted in a message/,
    (xml) => `${xml}<!-- -->`,
  ),
  changed(
    'a processing instruction',
    /are not accepted in a message/,
    before('<saml:Subject>', '<?x y?>'),
  ),
  changed(
    'a style sheet',
    /are not accepted in a message/,
    (xml) => `<?xml-stylesheet href="x"?>${xml}`,
  ),
  changed('CDATA', /are not accepted in a message/, (xml) =>
    xml.replace(`>${PERSON}<`, `><![CDATA[${PERSON}]]><`),
  ),
  changed('a document type', /a document type is not accepted/, (xml) => `<!DOCTYPE x>${xml}`),
  changed(
    'an external entity',
    /a document type is not accepted/,
    (xml) => DOCTYPE + xml.replace(PERSON, '&x;'),
  ),
  changed('entities within entities', /a document type is not accepted/, (xml) => {
    const level = (n: number): string => `<!ENTITY e${n} "${`&e${n - 1};`.repeat(10)}">`;
    return `<!DOCTYPE x [<!ENTITY e0 "x">${[1, 2, 3, 4, 5, 6, 7, 8].map(level).join('')}]>${xml}`;
  }),
  changed('an entity that is not declared', /unknown reference/, (xml) =>
    xml.replace(PERSON, '&x;'),
  ),
  changed('a character that is none', /unknown reference/, (xml) => xml.replace(PERSON, '&#0;')),
  changed('a prefix that is not declared', /prefix is not declared/, (xml) =>
    xml.replaceAll('saml:NameID', 'x:NameID'),
  ),
  changed(
    'another encoding in the declaration',
    /only UTF-8 is accepted/,
    (xml) => `<?xml version="1.0" encoding="UTF-16"?>${xml}`,
  ),
  changed(
    'UTF-7 in the declaration',
    /only UTF-8 is accepted/,
    (xml) => `<?xml version="1.0" encoding="UTF-7"?>${xml}`,
  ),
  [
    'UTF-16',
    /not UTF-8|not well-formed/,
    (asked) => Buffer.from(signed(asked), 'utf16le').toString('base64'),
  ],
  [
    'bytes that are no UTF-8',
    /not UTF-8/,
    () => Buffer.from([0x3c, 0xff, 0xfe]).toString('base64'),
  ],
  changed('a document that ends too early', /not well-formed|tags/, (xml) => xml.slice(0, -20)),
  changed('two documents', /content outside the root element/, (xml) => xml + xml),
  changed('an attribute given twice', /duplicated/, (xml) =>
    xml.replace(' Version=', ' Version="2.0" Version='),
  ),
  changed('the namespace of SAML 1.1', /Response has no Issuer/, (xml) =>
    xml.replace('urn:oasis:names:tc:SAML:2.0:assertion', 'urn:oasis:names:tc:SAML:1.0:assertion'),
  ),
  changed('an assertion in another namespace beside', /more than one assertion/, (xml) =>
    before('</samlp:Response>', '<x:Assertion xmlns:x="urn:x"/>')(xml),
  ),
  changed('two elements with one ID, spelt in two ways', /same ID/, (xml) =>
    xml.replace('<saml:Subject>', '<saml:Subject Id="_x" x:ID="_x" xmlns:x="urn:x">'),
  ),
  [
    'no assertion',
    /Response has no assertion/,
    (asked) => toBase64(signed(asked).replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, '')),
  ],
  ['no base64', /not base64/, () => 'PHNhbWw+*'],
  ['base64 that is cut', /not base64/, () => 'PHNhbW'],
  ['base64 of an address', /not base64/, () => 'PHNhbWw-_w=='],
  ['base64 behind its end', /not base64/, () => 'PA==PA=='],
  ['blanks alone', /not base64/, () => ' \n'],
  ['nothing', /not base64/, () => ''],
  ['noise', /not UTF-8|XML is refused/, () => randomBytes(3000).toString('base64')],
  ['JSON', /XML is refused/, () => toBase64('{"Response":{}}')],
  [
    'another message',
    /not a SAML response/,
    () => toBase64('<samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"/>'),
  ],
  [
    'a bare assertion',
    /not a SAML response/,
    (asked) =>
      toBase64(
        findAssertion(signed(asked))[0]?.replace(
          /^<saml:Assertion/,
          '$& xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
        ) ?? '',
      ),
  ],
  ['too many elements', /too many elements/, () => toBase64(`<a>${'<b/>'.repeat(2001)}</a>`)],
  ['too deep', /nested too deeply/, () => toBase64('<a>'.repeat(51) + '</a>'.repeat(51))],
  [
    'too many attributes',
    /too many attributes/,
    () => toBase64(`<a ${Array.from({ length: 33 }, (_, n) => `a${n}=""`).join(' ')}/>`),
  ],
  [
    'too many namespaces',
    /too many namespaces/,
    () =>
      toBase64(
        Array.from(
          { length: 3 },
          (_, d) => `<a ${Array.from({ length: 30 }, (_, n) => `xmlns:n${d}x${n}="u"`).join(' ')}>`,
        ).join('') + '</a>'.repeat(3),
      ),
  ],
  ['a huge attribute', /too large/, () => toBase64(`<a b="${'x'.repeat(1_100_000)}"/>`)],
];

/** Covers all errors from the decryption to the verified signature: an administrator reads the reasons, too. */
const UNOPENED =
  /^Encrypted assertion cannot be decrypted with our key, is damaged, or is not validly signed itself$/;
const ENCRYPTED: Row[] = [
  [
    'RSA 1.5',
    /algorithm of the key is not accepted/,
    async (asked) =>
      toBase64(
        await idp.encrypt(signed(asked), ours.certificate, {
          key: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5',
        }),
      ),
  ],
  [
    'triple DES',
    /algorithm of the assertion is not accepted/,
    async (asked) =>
      toBase64(
        await idp.encrypt(signed(asked), ours.certificate, {
          content: 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc',
        }),
      ),
  ],
  [
    'for another recipient',
    UNOPENED,
    async (asked) => toBase64(await idp.encrypt(signed(asked), stranger.certificate)),
  ],
  [
    'an unsigned assertion in it',
    UNOPENED,
    async (asked) => toBase64(await idp.encrypt(renderResponse(honest(asked)), ours.certificate)),
  ],
  [
    'an unsigned assertion in a signed response',
    UNOPENED,
    async (asked) =>
      toBase64(
        idp.sign(await idp.encrypt(renderResponse(honest(asked)), ours.certificate), 'Response'),
      ),
  ],
  [
    'an assertion that a stranger signed in it',
    UNOPENED,
    async (asked) =>
      toBase64(await idp.encrypt(signed(asked, {}, { pair: stranger }), ours.certificate)),
  ],
  [
    'something else in it',
    UNOPENED,
    async (asked) => toBase64(await idp.encrypt(signed(asked), ours.certificate, { text: '<x/>' })),
  ],
  [
    'an entity in it',
    UNOPENED,
    async (asked) =>
      toBase64(
        await idp.encrypt(signed(asked), ours.certificate, { text: `${DOCTYPE}<x>&x;</x>` }),
      ),
  ],
  [
    'altered content',
    UNOPENED,
    async (asked) =>
      toBase64(
        (await idp.encrypt(signed(asked), ours.certificate)).replace(
          /(<e:CipherValue>[^<]+<\/e:CipherValue>[\s\S]*<e:CipherValue>)[^<]{8}|(<\/e:EncryptedKey>[\s\S]*CipherValue>)[^<]{8}/,
          '$1$2AAAAAAAA',
        ),
      ),
  ],
  [
    'a plain assertion beside the encrypted one',
    /more than one assertion/,
    async (asked) => {
      const plain = signed(asked);
      const [assertion = ''] = findAssertion(plain);
      return toBase64(
        (await idp.encrypt(plain, ours.certificate)).replace(
          '</samlp:Response>',
          `${assertion}</samlp:Response>`,
        ),
      );
    },
  ],
];

const WRAPPED: Row[] = wrappings.map((shape) => [
  shape,
  /more than one assertion|same ID|is invalid|no IssueInstant/,
  (asked) => {
    const element = /^XSW[12]/.test(shape) ? 'Response' : 'Assertion';
    const xml = idp.sign(renderResponse(honest(asked)), element);
    const forged = wrapAssertion(shape, xml, { victim: VICTIM, attacker: PERSON });
    expect(forged).toContain(element === 'Response' || !/around/.test(shape) ? VICTIM : PERSON);
    return toBase64(forged);
  },
]);

/** The forgeries, grouped by their defect. */
export const FORGERIES: readonly [theme: string, rows: readonly Row[]][] = [
  ['signature', SIGNATURES],
  ['statement', SAID],
  ['XML', XML],
  ['encryption', ENCRYPTED],
  ['wrapping', WRAPPED],
];
