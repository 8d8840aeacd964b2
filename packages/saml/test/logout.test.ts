// The contents of logout messages with a verified signature.
import { describe, expect, test } from 'vitest';
import { parseDocument } from '../src/xml/encoding.ts';
import { createLogoutRequest } from '../src/messages.ts';
import { readLogout } from '../src/logout.ts';

const NOW = new Date('2026-11-25T12:00:00.000Z');
const at = (ms: number): string => new Date(NOW.getTime() + ms).toISOString();
const expected = {
  issuer: 'https://idp.example.com',
  destination: 'https://assay.example.com/logout?org=1',
  now: NOW,
};
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const PARTIAL = 'urn:oasis:names:tc:SAML:2.0:status:PartialLogout';
const NAMES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const message = (kind: string, content: string): string =>
  `<samlp:${kind} ${NAMES} ID="_l" InResponseTo="_q" Version="2.0" IssueInstant="${at(0)}" Destination="${expected.destination}"><saml:Issuer>${expected.issuer}</saml:Issuer>${content}</samlp:${kind}>`;
const request = message(
  'LogoutRequest',
  '<saml:NameID>mal</saml:NameID><samlp:SessionIndex>s1</samlp:SessionIndex><samlp:SessionIndex>\n s2 </samlp:SessionIndex>',
);
const response = message(
  'LogoutResponse',
  `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`,
);
const read = (xml: string) => readLogout(parseDocument(xml), expected);
const issued = (xml: string, ms: number): string =>
  xml.replace(/IssueInstant="[^"]+"/, `IssueInstant="${at(ms)}"`);
const ending = (ms: number): string =>
  request.replace(' Version', ` NotOnOrAfter="${at(ms)}" Version`);

test('a request names the user and the sessions', () => {
  const read1 = { kind: 'request', id: '_l', nameId: 'mal', sessionIndexes: ['s1', 's2'] };
  expect(read(request)).toEqual(read1);
  const all = request.replace(/<samlp:SessionIndex>[\s\S]*<\/samlp:SessionIndex>/, '');
  expect(read(all)).toMatchObject({ sessionIndexes: [] });
});

test.for([
  ['s1', ['s1']],
  [null, []],
] as const)('a request for the session %s is read as written', ([sessionIndex, sessionIndexes]) => {
  const session = { subject: 'mal & co', format: null, sessionIndex };
  const written = createLogoutRequest({ id: '_l', ...expected }, session);
  expect(read(written)).toEqual({ kind: 'request', id: '_l', nameId: 'mal & co', sessionIndexes });
});

test('a response names its request and reports success or failure', () => {
  const read1 = { kind: 'response', inResponseTo: '_q', isSuccess: true };
  expect(read(response)).toEqual(read1);
  expect(read(response.replace(SUCCESS, PARTIAL))).toMatchObject({ isSuccess: false });
});

test.for<[string, string]>([
  ['a request of a minute ahead', issued(request, 60_000)],
  ['a request of six minutes ago', issued(request, -360_000)],
  ['a request that ended a minute ago, less a moment', ending(-59_999)],
  ['a response of yesterday', issued(response, -86_400_000)],
])('in time: %s', ([, xml]) => {
  expect(() => read(xml)).not.toThrow();
});

describe('is refused', () => {
  test.for<[string, string, RegExp]>([
    ['from the future', issued(request, 60_001), /LogoutRequest is not valid yet \(IssueInstant\)/],
    ['too old', issued(request, -360_001), /LogoutRequest is too old \(IssueInstant\)/],
    ['over', ending(-60_000), /LogoutRequest has expired \(NotOnOrAfter\)/],
    ['a response from the future', issued(response, 60_001), /LogoutResponse is not valid yet/],
    ['another version', request.replace('2.0"', '1.1"'), /Version of LogoutRequest/],
    ['another destination', request.replace('?org=1', '?org=2'), /Destination of LogoutRequest/],
    ['no destination', request.replace(/ Destination="[^"]+"/, ''), /has no Destination/],
    ['another issuer', request.replace(expected.issuer, 'https://x'), /Issuer of LogoutRequest/],
    ['no issuer', request.replace(/<saml:Issuer>.*<\/saml:Issuer>/, ''), /has no Issuer/],
    ['no ID', request.replace(' ID="_l"', ''), /LogoutRequest has no ID/],
    ['no name', request.replace('<saml:NameID>mal</saml:NameID>', ''), /has no NameID/],
    [
      'two names',
      request.replace(/<saml:NameID>.*<\/saml:NameID>/, '$&$&'),
      /more than one NameID/,
    ],
    ['an empty session', request.replace('>s1<', '><'), /SessionIndex is empty/],
    ['no request of the response', response.replace(' InResponseTo="_q"', ''), /no InResponseTo/],
    ['no status', response.replace(/<samlp:Status>.*<\/samlp:Status>/, ''), /has no Status/],
    ['a status without a value', response.replace(/ Value="[^"]+"/, ''), /StatusCode has no Value/],
    ['another message', message('AuthnRequest', ''), /not a SAML logout request or response/],
    ['a name that begins alike', message('LogoutRequests', ''), /not a SAML logout request/],
    [
      'another namespace',
      request.replace(':protocol"', ':protocol.x"'),
      /not a SAML logout request/,
    ],
  ])('%s', ([, xml, reason]) => {
    expect(() => read(xml)).toThrow(reason);
  });
});
