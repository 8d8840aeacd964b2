// SAML settings from a provider's metadata, given as a document or URL, and the trial of settings when they are saved.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCertificateFacts } from '@assay/saml';
import {
  CURVE_CERTIFICATE,
  EXPIRED_CERTIFICATE,
  FIRST_CERTIFICATE,
  SECOND_CERTIFICATE,
} from '../../setup/providers/certificates.ts';
import { WILD_METADATA } from '../../setup/providers/metadata/wild-metadata.ts';
import {
  renderEndpoint,
  POST,
  renderProviderMetadata,
  REDIRECT,
} from '../../setup/providers/provider-metadata.ts';
import {
  startHandmadeProvider,
  type HandmadeProvider,
} from '../../setup/providers/identity-provider.ts';
import { assertOk, createOwner, type Owner } from '../../setup/personas.ts';
import { startApp, type Answer, type TestApp } from '../../setup/start-app.ts';

const PATH = '/api/v1/organization/sso';
let app: TestApp;
let ada: Owner;
let provider: HandmadeProvider;
let publisher: Server;
/** What the publisher answers with. */
let published: { status: number; text: string | Buffer; headers?: Record<string, string> };
let address = '';
beforeAll(async () => {
  provider = await startHandmadeProvider();
  publisher = createServer((_req, res) => {
    res.writeHead(published.status, published.headers ?? {}).end(published.text);
  });
  await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve));
  const { port } = publisher.address() as AddressInfo;
  address = `http://127.0.0.1:${port}/metadata`;
  const allowed = `127.0.0.1:${port},${new URL(provider.origin).host}`;
  app = await startApp({
    ASSAY_OUTBOUND_ALLOW: allowed,
    ASSAY_PUBLIC_URL: 'https://assay.example.com',
  });
  ada = await createOwner(app);
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
  publisher.closeAllConnections();
  await new Promise((resolve) => publisher.close(resolve));
});

const read = (body: object): Promise<Answer> =>
  app.call('POST', `${PATH}/metadata`, { token: ada.token, body });
const save = (body: object): Promise<Answer> => app.call('PUT', PATH, { token: ada.token, body });
const pemOf = (answer: Answer): string[] =>
  answer.body.data.certificates.map(({ pem }: { pem: string }) => pem.trim());

const at = (host: string): string => `https://${host}/metadata`;

describe('metadata', () => {
  test('of a document are the settings, which can be saved as they are; nothing is saved before', async () => {
    const answer = assertOk(
      await read({ xml: renderProviderMetadata('https://login.example.com/idp') }),
    );
    const { entityId, ssoUrl, sloUrl } = answer.body.data;
    expect([entityId, ssoUrl, sloUrl]).toEqual([
      'https://login.example.com/idp',
      'https://login.example.com/sso',
      'https://login.example.com/slo?a=1&b=2',
    ]);
    expect(pemOf(answer)).toEqual([FIRST_CERTIFICATE.trim()]);
    const before = await app.call('GET', PATH, { token: ada.token });
    expect(before.body.data.settings).toBeNull();
    const saml = { entityId, ssoUrl, sloUrl, certificates: pemOf(answer) };
    const saved = assertOk(await save({ provider: 'saml', saml })).body.data;
    expect(saved.settings.saml).toMatchObject({ entityId, ssoUrl, sloUrl });
  });

  test.for(Object.entries(WILD_METADATA))(
    'as %s publishes them are answered in the form in which they are saved, and shown',
    async ([, wild]) => {
      const proposed = assertOk(await read({ xml: wild.xml })).body.data;
      const leaves = wild.certificates.map((pem) => readCertificateFacts(pem).pem);
      expect(proposed.certificates.map(({ pem }: { pem: string }) => pem).toSorted()).toEqual(
        leaves.toSorted(),
      );
      const saved = assertOk(await save({ provider: 'saml', saml: proposed })).body.data.settings;
      expect(saved.saml).toMatchObject(proposed);
      expect(assertOk(await save(saved)).body.data.settings).toEqual(saved);
    },
  );

  test('of an address, which is fetched', async () => {
    published = { status: 200, text: `\ufeff${renderProviderMetadata('urn:example:fetched')}` };
    expect(assertOk(await read({ url: address })).body.data.entityId).toBe('urn:example:fetched');
  });

  test('may be the only ones of a list, have a key for both uses, and no single logout', async () => {
    const one = renderProviderMetadata('urn:example:one', {
      endpoints: renderEndpoint('SingleSignOnService', REDIRECT, 'https://login.example.com/sso'),
    })
      .replace(/<\?xml[^>]*>\s*/, '')
      .replace(' use="signing"', '');
    const list = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${one}</md:EntitiesDescriptor>`;
    const { data } = assertOk(await read({ xml: list })).body;
    expect([data.entityId, data.sloUrl, data.certificates]).toEqual([
      'urn:example:one',
      null,
      [expect.anything()],
    ]);
  });

  test('show the certificates that can be used: not what is over, nor another kind, nor one twice', async () => {
    const signing = [EXPIRED_CERTIFICATE, CURVE_CERTIFICATE, FIRST_CERTIFICATE, SECOND_CERTIFICATE];
    const answer = assertOk(
      await read({ xml: renderProviderMetadata('u', { signing: [...signing, ...signing] }) }),
    );
    expect(new Set(pemOf(answer))).toEqual(
      new Set([FIRST_CERTIFICATE.trim(), SECOND_CERTIFICATE.trim()]),
    );
  });

  const good = renderProviderMetadata('urn:example:idp');
  const withEndpoint = (location: string): string =>
    renderProviderMetadata('u', {
      endpoints: renderEndpoint('SingleSignOnService', REDIRECT, location),
    });
  test.for<[string, object, string, string]>([
    ['neither', {}, 'VALIDATION_ERROR', 'either xml or url'],
    ['both', { xml: good, url: 'https://a.example.com' }, 'VALIDATION_ERROR', 'either xml or url'],
    ['no XML', { xml: 'hello' }, 'VALIDATION_ERROR', 'XML is refused'],
    [
      'a document type',
      { xml: `<!DOCTYPE a [<!ENTITY b "c">]>${good}` },
      'VALIDATION_ERROR',
      'XML is',
    ],
    ['other XML', { xml: '<a/>' }, 'VALIDATION_ERROR', 'not SAML metadata'],
    [
      'a service provider',
      { xml: good.replaceAll('IDPSSODescriptor', 'SPSSODescriptor') },
      'VALIDATION_ERROR',
      'one identity provider',
    ],
    [
      'another protocol',
      { xml: good.replace('SAML:2.0:protocol"', 'SAML:1.1:protocol"') },
      'VALIDATION_ERROR',
      'SAML 2.0',
    ],
    [
      'metadata that are over',
      { xml: renderProviderMetadata('u', { attributes: ' validUntil="2020-01-01T00:00:00Z"' }) },
      'VALIDATION_ERROR',
      'expired',
    ],
    ['no name', { xml: renderProviderMetadata('') }, 'VALIDATION_ERROR', 'empty or too long'],
    [
      'a long name',
      { xml: renderProviderMetadata('u'.repeat(1025)) },
      'VALIDATION_ERROR',
      'too long',
    ],
    [
      'no place to sign on by redirect',
      {
        xml: renderProviderMetadata('u', {
          endpoints: renderEndpoint('SingleSignOnService', POST, 'https://login.example.com/'),
        }),
      },
      'VALIDATION_ERROR',
      'HTTP-Redirect',
    ],
    ['a script for a place', { xml: withEndpoint('javascript:alert(1)') }, 'SSRF_BLOCKED', 'https'],
    ['a private place', { xml: withEndpoint(at('10.0.0.1')) }, 'SSRF_BLOCKED', 'public'],
    [
      'no certificate',
      { xml: renderProviderMetadata('u', { signing: [] }) },
      'VALIDATION_ERROR',
      'certificate',
    ],
    [
      'no good certificate',
      { xml: renderProviderMetadata('u', { signing: [EXPIRED_CERTIFICATE] }) },
      'VALIDATION_ERROR',
      'expired',
    ],
    [
      'too many elements',
      { xml: good.replace('</md:Entity', `${'<md:Extensions/>'.repeat(2100)}</md:Entity`) },
      'VALIDATION_ERROR',
      'too many elements',
    ],
    ['a large document', { xml: good + ' '.repeat(600_000) }, 'VALIDATION_ERROR', 'xml'],
    ['a private address', { url: at('169.254.169.254') }, 'SSRF_BLOCKED', 'public'],
    [
      'an address without TLS',
      { url: 'http://a.example.com/' },
      'SSRF_BLOCKED',
      'ASSAY_OUTBOUND_ALLOW',
    ],
  ])('%s: refused', async ([, body, code, text]) => {
    const answer = await read(body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.error).toContain(text);
  });

  test.for<[string, () => typeof published, number]>([
    ['an error', () => ({ status: 404, text: 'none' }), 424],
    [
      'a redirect',
      () => ({ status: 302, text: '', headers: { location: 'http://127.0.0.1/' } }),
      424,
    ],
    ['more than a megabyte', () => ({ status: 200, text: Buffer.alloc(1_100_000, ' ') }), 424],
    ['no metadata', () => ({ status: 200, text: '{}' }), 400],
    ['UTF-16', () => ({ status: 200, text: Buffer.from(`\ufeff${good}`, 'utf16le') }), 400],
  ])('an address that answers with %s', async ([, answering, status]) => {
    published = answering();
    expect((await read({ url: address })).status).toBe(status);
  });
});

describe('what is saved', () => {
  const saml = (certificates: unknown[]) => ({
    provider: 'saml',
    saml: { entityId: 'u', ssoUrl: 'https://login.example.com/sso', certificates },
  });

  test('takes a certificate as its base64 alone, with line breaks or without', async () => {
    const bare = FIRST_CERTIFICATE.replace(/-----[A-Z ]+-----/g, '');
    for (const text of [bare, bare.replace(/\s/g, ''), `  ${bare}\n`]) {
      const { settings } = assertOk(await save(saml([text]))).body.data;
      expect(settings.saml.certificates[0].pem.trim()).toBe(FIRST_CERTIFICATE.trim());
    }
    expect((await save(saml(['AAAA']))).body.error).toContain('X.509');
  });

  test('takes a certificate as it is shown, and nothing else beside it', async () => {
    const shown = { pem: FIRST_CERTIFICATE, subject: 'CN=anything', fingerprint: 'AA' };
    const { settings } = assertOk(await save(saml([shown, SECOND_CERTIFICATE]))).body.data;
    expect(settings.saml.certificates.map(({ subject }: { subject: string }) => subject)).toEqual([
      'CN=idp.example.com, O=roomy',
      'CN=idp.example.com, O=second',
    ]);
    for (const [certificate, text] of [
      [{ subject: 'CN=anything' }, 'saml.certificates.0'],
      [{ pem: FIRST_CERTIFICATE, key: 'x' }, 'key'],
      [{ pem: 'AAAA' }, 'saml.certificates.0: is not an X.509 certificate'],
      [7, 'saml.certificates.0'],
    ] as const) {
      const answer = await save(saml([certificate]));
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(answer.body.error).toContain(text);
    }
  });

  test('of OpenID Connect is taken as it is shown, and keeps its secret', async () => {
    const { issuer, clientId, clientSecret } = provider.createRealm();
    const { settings } = assertOk(
      await save({ provider: 'oidc', oidc: { issuer, clientId, clientSecret } }),
    ).body.data;
    expect(assertOk(await save(settings)).body.data.settings).toEqual(settings);
  });

  test('is tried: an address that is no provider gives a warning, and is saved all the same', async () => {
    const { issuer, clientId, clientSecret } = provider.createRealm();
    const oidc = { issuer, clientId, clientSecret };
    const warnings = async (more: object): Promise<string[]> =>
      assertOk(await save({ provider: 'oidc', oidc: Object.assign({}, oidc, more) })).body.data
        .warnings;
    expect(await warnings({})).toEqual([]);
    expect(await warnings({ issuer: `${provider.origin}/missing` })).toEqual([
      expect.stringContaining('cannot begin'),
    ]);
    const other = provider.createRealm();
    other.metadata = { issuer: 'https://elsewhere.example.com' };
    expect(await warnings({ issuer: other.issuer })).toEqual([
      expect.stringContaining('issuer does not match'),
    ]);
    expect((await app.call('GET', PATH, { token: ada.token })).body.data.settings.oidc.issuer).toBe(
      other.issuer,
    );
  });
});
