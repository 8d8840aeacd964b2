// Forged SAML messages cost little: canonicalisation only after a valid signature value, and small logout messages.
import { SignedXml } from 'xml-crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSamlRedirect } from '../src/redirect.ts';
import {
  type LogoutRequest,
  readLogoutMessage,
  readResponse,
  type ResponseRequest,
} from '../src/reader.ts';
import {
  toBase64,
  renderResponse,
  SamlIdentityProvider,
} from '../../../test/setup/providers/identity-provider-saml.ts';

const idp = new SamlIdentityProvider(() => new Date());
const certificates = [idp.pair.certificate];
const destination = 'https://assay.example.com/api/v1/auth/saml/logout/callback?org=1';
const question = (message: LogoutRequest['message']): LogoutRequest => ({
  kind: 'logout',
  message,
  certificates,
  issuer: idp.entityId,
  destination,
  now: new Date(),
});
const acs = 'https://assay.example.com/acs';
const said = idp.createContent(
  {
    id: '_q',
    issuer: 'us',
    relayState: '',
    query: new URLSearchParams(),
    xml: `AssertionConsumerServiceURL="${acs}"`,
  },
  'mal',
);
const answer = (xml: string): ResponseRequest => ({
  kind: 'response',
  base64: toBase64(xml),
  certificates,
  issuer: idp.entityId,
  audience: 'us',
  recipient: acs,
  inResponseTo: '_q',
  needsSessionIndex: true,
  now: new Date(),
});
const NAMES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const wish = (more: string): string =>
  `<samlp:LogoutRequest ${NAMES} ID="_l" Version="2.0" IssueInstant="${idp.toInstant(0)}" Destination="${destination}"><saml:Issuer>${idp.entityId}</saml:Issuer><saml:NameID>mal</saml:NameID>${more}</samlp:LogoutRequest>`;
const signed = (more: string): string => idp.sign(wish(more), 'LogoutRequest');
const spoilt = (xml: string): string => xml.replace(/(<ds:SignatureValue>).{8}/, '$1AAAAAAAA');
const read = (xml: string) => readLogoutMessage(question({ base64: toBase64(xml) }));
const elementsIn = (xml: string): number => xml.match(/<[a-z]/g)?.length ?? 0;
const indexes = (count: number): string =>
  '<samlp:SessionIndex>i</samlp:SessionIndex>'.repeat(count);
/** Session indexes that give a signed request exactly this many elements. */
const filling = (elements: number): string => indexes(elements - elementsIn(signed('')));

afterEach(() => vi.restoreAllMocks());

describe('the signature value is checked first', () => {
  test('a logout request with a wrong value is neither canonicalised nor digested', () => {
    const check = vi.spyOn(SignedXml.prototype, 'checkSignature');
    expect(() => read(spoilt(signed(filling(300))))).toThrow(
      'The signature of LogoutRequest is invalid',
    );
    expect(check).not.toHaveBeenCalled();
    expect(read(signed(filling(300)))).toMatchObject({ kind: 'request', nameId: 'mal' });
    expect(check).toHaveBeenCalledTimes(1);
  });

  test.for(['Response', 'Assertion'])('nor is a response whose %s has another one', (element) => {
    const check = vi.spyOn(SignedXml.prototype, 'checkSignature');
    const message = idp.sign(renderResponse(said), element);
    expect(() => readResponse(answer(spoilt(message)), null)).toThrow(
      `The signature of ${element} is invalid`,
    );
    expect(check).not.toHaveBeenCalled();
  });

  test('an oversized signature is not checked', () => {
    const shown = `<ds:KeyInfo><ds:KeyName>${'x'.repeat(65_000)}</ds:KeyName></ds:KeyInfo>`;
    const message = idp.sign(renderResponse(said), 'Assertion');
    const longer = message.replace('</ds:Signature>', `${shown}</ds:Signature>`);
    expect(() => readResponse(answer(longer), null)).toThrow('Signature is too long');
    expect(readResponse(answer(message), null).nameId).toBe('mal');
  });
});

describe('a logout message', () => {
  const padded = (bytes: number): string => {
    const index = (length: number): string =>
      signed(`<samlp:SessionIndex>${'x'.repeat(length)}</samlp:SessionIndex>`);
    return index(bytes - index(1).length + 1);
  };

  test('has at most 300 elements, also in a redirect URL', () => {
    expect(() => read(signed(filling(300)))).not.toThrow();
    for (const message of [
      { base64: toBase64(signed(filling(301))) },
      { verifiedXml: wish(indexes(299)) },
    ])
      expect(() => readLogoutMessage(question(message))).toThrow('too many elements');
  });

  test('has at most 64 KB, however it is encoded', () => {
    expect(() => read(padded(65_536))).not.toThrow();
    expect(() => read(padded(65_537))).toThrow('Message is too large: more than 65536 bytes');
    const wide = signed(`<samlp:SessionIndex>${'€'.repeat(22_000)}</samlp:SessionIndex>`);
    expect(() => read(wide)).toThrow('Message is too large');
    const spaced = toBase64(signed('')).replaceAll(/./g, (digit) => digit.padEnd(60));
    expect(() => readLogoutMessage(question({ base64: spaced }))).toThrow('Message is too large');
  });

  test('is not inflated beyond 64 KB', () => {
    const open = (bytes: number) => {
      const bare = wish('').length;
      const xml = wish(' '.repeat(bytes - bare));
      return createSamlRedirect(null).open(idp.signRedirect('SAMLRequest', xml), certificates).xml;
    };
    expect(open(65_536)).toHaveLength(65_536);
    expect(() => open(65_537)).toThrow(/cannot be inflated to 65536 bytes/);
  });
});
