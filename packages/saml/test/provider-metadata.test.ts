// Metadata of real SAML providers: the settings read from each, or the reason of the refusal.
import { describe, expect, test } from 'vitest';
import { readCertificateFacts, omitIssuers } from '../src/certificates.ts';
import { readProviderMetadata } from '../src/provider-metadata.ts';
import {
  FIRST_CERTIFICATE,
  SECOND_CERTIFICATE,
} from '../../../test/setup/providers/certificates.ts';
import {
  ISSUING_CERTIFICATE,
  LEAF_CERTIFICATE,
  ROOT_CERTIFICATE,
} from '../../../test/setup/providers/metadata/certificate-chain.ts';
import {
  renderEndpoint,
  renderProviderMetadata,
  REDIRECT,
} from '../../../test/setup/providers/provider-metadata.ts';
import {
  createCertifiedKey,
  issueCertificates,
  createSelfSigned,
} from '../../../test/setup/providers/self-signed.ts';
import { WILD_METADATA } from '../../../test/setup/providers/metadata/wild-metadata.ts';

const NOW = new Date('2026-11-25T12:00:00Z');
const read = (xml: string) => readProviderMetadata(xml, NOW);
const fingerprints = (certificates: readonly string[]): string[] =>
  certificates.map((text) => readCertificateFacts(text).fingerprint);
const good = renderProviderMetadata('urn:example:idp');
const body = good.replace(/<\?xml[^>]*>\s*/, '');
const MD = 'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"';
const list = (content: string, attributes = ''): string =>
  `<md:EntitiesDescriptor ${MD}${attributes}>${content}</md:EntitiesDescriptor>`;

test.for(Object.entries(WILD_METADATA))('%s', ([, wild]) => {
  const { certificates, ...rest } = read(wild.xml);
  const { entityId, ssoUrl, sloUrl } = wild;
  expect(rest).toEqual({ entityId, ssoUrl, sloUrl });
  expect(fingerprints(certificates)).toEqual(fingerprints(wild.certificates));
});

describe('a chain', () => {
  const chain = [ROOT_CERTIFICATE, ISSUING_CERTIFICATE, LEAF_CERTIFICATE];
  const [root = '', issuing = '', leaf = ''] = chain;

  test.for([
    [root, issuing, leaf],
    [root, leaf, issuing],
    [issuing, root, leaf],
    [issuing, leaf, root],
    [leaf, root, issuing],
    [leaf, issuing, root],
    [leaf, issuing],
    [root, leaf, issuing, leaf],
  ])('has one leaf in any order', (order) => {
    expect(new Set(omitIssuers(order))).toEqual(new Set([leaf]));
  });

  test('of elliptic curves has one leaf too', () => {
    const [own = '', above = ''] =
      createCertifiedKey('curve').certificate.split(/(?<=-----END.*\n)/);
    expect(omitIssuers([above, own])).toEqual([own]);
  });

  test('is none: certificates that have not issued each other, what is no certificate, and renewals of one key', () => {
    const strangers = [FIRST_CERTIFICATE, SECOND_CERTIFICATE, root];
    expect(omitIssuers(strangers)).toEqual(strangers);
    const namesakes = [createSelfSigned('idp').certificate, createSelfSigned('idp').certificate];
    expect(omitIssuers(namesakes)).toEqual(namesakes);
    const renewals = issueCertificates('idp', '2090-01-01', '2099-01-01');
    expect(omitIssuers(renewals)).toEqual(renewals);
    // Has the issuer's name without having issued the leaf.
    const namesake = createSelfSigned('curve authority').certificate;
    const [own = ''] = createCertifiedKey('curve').certificate.split(/(?<=-----END.*\n)/);
    expect(omitIssuers([namesake, own])).toEqual([namesake, own]);
    expect(omitIssuers(['AAAA', leaf])).toEqual(['AAAA', leaf]);
  });

  test('is one only within a key: a descriptor of its own makes every certificate a signer', () => {
    const xml = renderProviderMetadata('u', { signing: [issuing, leaf] });
    expect(fingerprints(read(xml).certificates)).toEqual(fingerprints([issuing, leaf]));
  });
});

describe('is read', () => {
  test.for<[string, string]>([
    [
      'a comment before, in and behind it',
      `<!-- a -->${body.replace('<md:IDP', '<!-- <x> --><md:IDP')}<!-- b -->`,
    ],
    ['processing instructions', `<?xml-stylesheet href="a"?>${body}<?b c?>`],
    ['a comment within a certificate', body.replace(/(<ds:X509Certificate>.{9})/, '$1<!-- c -->')],
    ['CDATA', body.replace(/(<ds:X509Certificate>)([^<]+)/, '$1<![CDATA[$2]]>')],
    ['another encoding in its label', `<?xml version="1.0" encoding="ISO-8859-1"?>${body}`],
    ['service providers beside it', list(`${body.replaceAll('IDPSSO', 'SPSSO')}${body}`)],
    ['lists in lists', list(list(list(body)))],
    [
      'an entity in an entity, where none belongs',
      body.replace('</md:Entity', `${body}</md:Entity`),
    ],
    ['an end that is yet to come', list(body, ' validUntil="2026-11-25T12:00:01Z"')],
  ])('%s', ([, xml]) => {
    expect(read(xml).entityId).toBe('urn:example:idp');
  });

  test('the first place to sign on by redirect, without blanks around it', () => {
    const endpoints = ['\n https://one.example.com/a \t', 'https://two.example.com/'].map((at) =>
      renderEndpoint('SingleSignOnService', ` ${REDIRECT} `, at),
    );
    expect(read(renderProviderMetadata('u', { endpoints: endpoints.join('') })).ssoUrl).toBe(
      'https://one.example.com/a',
    );
  });

  test('keys that sign: also those without a use, not those for encryption alone', () => {
    const xml = renderProviderMetadata('u', { signing: [FIRST_CERTIFICATE, SECOND_CERTIFICATE] });
    const certificates = (use: string) =>
      fingerprints(read(xml.replace(' use="signing"', use)).certificates);
    expect(certificates('')).toEqual(fingerprints([FIRST_CERTIFICATE, SECOND_CERTIFICATE]));
    expect(certificates(' use=" encryption "')).toEqual(fingerprints([SECOND_CERTIFICATE]));
  });
});

describe('is refused', () => {
  const twenty = Array.from({ length: 21 }, (_, n) => `A${n}AA`);
  test.for<[string, string, RegExp]>([
    ['a document type', `<!DOCTYPE a>${body}`, /a document type is not accepted/],
    ['a document type behind a comment', `<!-- --><!DOCTYPE a SYSTEM "b">${body}`, /document type/],
    ['XML 1.1', `<?xml version="1.1"?>${body}`, /only XML 1\.0/],
    ['what is not well-formed', `${body}<`, /not well-formed \(line \d+, column \d+\)/],
    ['other metadata', '<EntityDescriptor xmlns="urn:a"/>', /^Document is not SAML metadata$/],
    ['an assertion', `<md:Assertion ${MD}/>`, /^Document is not SAML metadata$/],
    ['two identity providers', list(body + body), /exactly one identity provider .* not 2$/],
    ['two roles of one entity', body.replace(/<md:IDPSSO[\s\S]*SSODescriptor>/, '$&$&'), /not 2$/],
    ['an empty list', list(''), /not none$/],
    ['a provider in an extension', list(`<md:Extensions>${body}</md:Extensions>`), /not none$/],
    ['SAML 1.1', body.replace('SAML:2.0:protocol"', 'SAML:2.0:protocol.x"'), /not none$/],
    [
      'an end that is over',
      body.replace(' entityID', ' validUntil="2026-11-25T11:58:59Z" entityID'),
      /EntityDescriptor has expired/,
    ],
    [
      'an end of the list that is over',
      list(body, ' validUntil="2026-11-25T11:58:59Z"'),
      /EntitiesDescriptor has expired/,
    ],
    [
      'an end of the role that is over',
      body.replace(' protocolSupport', ' validUntil="2020-01-01T00:00:00Z" protocolSupport'),
      /IDPSSODescriptor has expired/,
    ],
    ['an end that is no time', list(body, ' validUntil="soon"'), /not a UTC time/],
    ['no name', body.replace(/ entityID="[^"]*"/, ''), /EntityDescriptor has no entityID/],
    ['a blank name', body.replace(/ entityID="[^"]*"/, ' entityID="  "'), /empty or too long/],
    ['a long name', renderProviderMetadata('u'.repeat(1025)), /empty or too long/],
    [
      'a long address',
      renderProviderMetadata('u', {
        endpoints: renderEndpoint('SingleSignOnService', REDIRECT, `https://${'a'.repeat(1993)}`),
      }),
      /empty or too long/,
    ],
    [
      'no certificate',
      renderProviderMetadata('u', { signing: [] }),
      /no certificate for signatures \(X509Certificate\)/,
    ],
    [
      'a key without a certificate',
      body.replace(/<ds:X509Data>.*<\/ds:X509Data>/, '<ds:KeyValue/>'),
      /no certificate for signatures/,
    ],
    [
      'an empty certificate',
      body.replace(/(<ds:X509Certificate>)[^<]+/, '$1 '),
      /X509Certificate is empty/,
    ],
    [
      'more certificates than a provider has',
      renderProviderMetadata('u', { signing: twenty }),
      /more than 20/,
    ],
  ])('%s', ([, xml, reason]) => {
    expect(() => read(xml)).toThrow(reason);
  });

  test('nothing that is just within a limit', () => {
    expect(read(renderProviderMetadata('u'.repeat(1024))).entityId).toHaveLength(1024);
    const location = `https://${'a'.repeat(1992)}`;
    const endpoints = renderEndpoint('SingleSignOnService', REDIRECT, location);
    expect(read(renderProviderMetadata('u', { endpoints })).ssoUrl).toBe(location);
    const signing = twenty.slice(1);
    expect(read(renderProviderMetadata('u', { signing })).certificates).toHaveLength(20);
  });
});
