// The SAML reader without HTTP: signature wrapping, encryption by other libraries, and the worker thread.
import {
  constants,
  createCipheriv,
  createPrivateKey,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, inject, test } from 'vitest';
import {
  parseDocument,
  createServiceProviderMetadata,
  deriveSettings,
  SamlError,
  parseXml,
  withDescendants,
  readResponse,
  type ResponseRequest,
  verifyElement,
} from '@assay/saml';
import { createCallerContext } from '../../../src/platform/waiting-caller.ts';
import { createSamlReaderWorker } from '../../../src/platform/saml/saml-reader-worker.ts';
import { createThreads, type ThreadName } from '../../../src/platform/threads/threads.ts';
import {
  toBase64,
  renderResponse,
  SamlIdentityProvider,
  type SamlRequest,
} from '../../setup/providers/identity-provider-saml.ts';
import { wrapAssertion, wrappings } from '../../setup/providers/saml-wrapping.ts';
import { renderProviderMetadata } from '../../setup/providers/provider-metadata.ts';
import { createSelfSigned } from '../../setup/providers/self-signed.ts';

/** A thread that answers nothing. */
const SILENT = `import { parentPort } from 'node:worker_threads';
  parentPort.on('message', () => undefined);
  parentPort.postMessage('ready');`;

const ours = createSelfSigned('assay');
const idp = new SamlIdentityProvider(() => new Date());
const asked: SamlRequest = {
  id: '_q',
  issuer: 'https://assay.example.com/us',
  relayState: '',
  query: new URLSearchParams(),
  xml: 'AssertionConsumerServiceURL="https://assay.example.com/acs"',
};
const said = idp.createContent(asked, 'mallory');
const signed = idp.sign(renderResponse(said), 'Assertion');
const question = (xml: string): ResponseRequest => ({
  kind: 'response',
  base64: toBase64(xml),
  certificates: [idp.pair.certificate],
  issuer: idp.entityId,
  audience: asked.issuer,
  recipient: 'https://assay.example.com/acs',
  inResponseTo: asked.id,
  needsSessionIndex: true,
  now: new Date(),
});

test.for(wrappings)('whichever element is verified, it says what was signed: %s', (shape) => {
  const xml = idp.sign(renderResponse(said), /^XSW[12]/.test(shape) ? 'Response' : 'Assertion');
  const root = parseXml(wrapAssertion(shape, xml, { victim: 'victim', attacker: 'mallory' }));
  for (const element of withDescendants(root)) {
    try {
      const names = [...withDescendants(verifyElement(element, [idp.pair.certificate]))].map(
        ({ text }) => text,
      );
      expect(names).toContain('mallory');
      expect(names).not.toContain('victim');
    } catch (error) {
      expect(error).toBeInstanceOf(SamlError);
    }
  }
});

describe('encryption', () => {
  const key = createPrivateKey(ours.key);

  /** Encrypts like a provider with another library. */
  function sealed(
    method: string,
    { oaepHash, wrap, iv = 12 }: { oaepHash: string; wrap: string; iv?: number },
  ): string {
    const [assertion = ''] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(signed) ?? [];
    const [, bits = '256', mode = 'gcm'] = /aes(\d+)-(cbc|gcm)/.exec(method) ?? [];
    const [contentKey, vector] = [randomBytes(Number(bits) / 8), randomBytes(iv)];
    const name = `aes-${bits}-${mode}` as 'aes-256-gcm';
    const cipher = createCipheriv(name, contentKey, vector);
    const text = assertion.replace(
      '<saml:Assertion',
      '$& xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
    );
    const parts = [
      vector,
      cipher.update(text),
      cipher.final(),
      ...(mode === 'gcm' ? [cipher.getAuthTag()] : []),
    ];
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const wrapped = publicEncrypt({ key: ours.certificate, padding, oaepHash }, contentKey);
    const value = (bytes: Buffer): string =>
      `<x:CipherData><x:CipherValue>${bytes.toString('base64').replace(/.{64}/g, '$&\n')}</x:CipherValue></x:CipherData>`;
    const encrypted = `<saml:EncryptedAssertion><x:EncryptedData xmlns:x="http://www.w3.org/2001/04/xmlenc#"><x:EncryptionMethod Algorithm="${method}"/><d:KeyInfo xmlns:d="http://www.w3.org/2000/09/xmldsig#"><d:RetrievalMethod URI="#k"/></d:KeyInfo>${value(Buffer.concat(parts))}</x:EncryptedData><x:EncryptedKey Id="k" xmlns:x="http://www.w3.org/2001/04/xmlenc#" xmlns:d="http://www.w3.org/2000/09/xmldsig#">${wrap}${value(wrapped)}</x:EncryptedKey></saml:EncryptedAssertion>`;
    return signed.replace(assertion, () => encrypted);
  }
  const oaep11 = (hash: string): string =>
    `<x:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#rsa-oaep"><d:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#${hash}"/><e:MGF xmlns:e="http://www.w3.org/2009/xmlenc11#" Algorithm="http://www.w3.org/2009/xmlenc11#mgf1${hash}"/></x:EncryptionMethod>`;

  test.for<[string, string, number]>([
    ['sha256', 'http://www.w3.org/2009/xmlenc11#aes192-gcm', 12],
    ['sha512', 'http://www.w3.org/2001/04/xmlenc#aes192-cbc', 16],
  ])('OAEP of 1.1 with %s, the key beside the data, %s', ([hash, method, iv]) => {
    const xml = sealed(method, { oaepHash: hash, wrap: oaep11(hash), iv });
    expect(readResponse(question(xml), key).nameId).toBe('mallory');
  });

  test('different digest and mask methods are refused', () => {
    const wrap = oaep11('sha256').replace('mgf1sha256', 'mgf1sha1');
    const xml = sealed('http://www.w3.org/2009/xmlenc11#aes256-gcm', { oaepHash: 'sha256', wrap });
    expect(() => readResponse(question(xml), key)).toThrow(
      'Encryption algorithm of the key is not accepted',
    );
  });

  test('encrypted assertions are refused without a decryption key; others are read', async () => {
    const xml = await idp.encrypt(signed, ours.certificate);
    expect(() => readResponse(question(xml), null)).toThrow(
      /encrypted, but no decryption key is configured/,
    );
    expect(readResponse(question(signed), null).nameId).toBe('mallory');
  });
});

test('metadata without keys list none', () => {
  const parts = {
    entityId: 'https://a/<m>&',
    assertionConsumer: 'https://a/c',
    singleLogout: 'https://a/l?org=1',
  };
  const bare = parseDocument(createServiceProviderMetadata({ ...parts, certificate: null }));
  const names = [...withDescendants(bare)].map(({ name }) => name);
  expect(names).not.toContain('KeyDescriptor');
  expect(bare.attributes.get('entityID')).toBe(parts.entityId);
  expect(bare.children[0]?.attributes.get('AuthnRequestsSigned')).toBe('false');
  const keyed = createServiceProviderMetadata({ ...parts, certificate: ours.certificate });
  expect([...keyed.matchAll(/use="(\w+)"/g)].map(([, use]) => use)).toEqual([
    'signing',
    'encryption',
  ]);
  // Both names of RSA-OAEP are supported, so both are listed.
  expect(keyed).toContain('xmlenc#rsa-oaep-mgf1p"');
  expect(keyed).toContain('xmlenc11#rsa-oaep"');
});

describe('the thread', () => {
  const warned: string[] = [];
  const threads = createThreads(inject('built'));
  const reader = createSamlReaderWorker({
    decryptionKey: ours.key,
    callerContext: createCallerContext(),
    threads,
    log: { warn: (_, text) => warned.push(text) },
  });
  afterAll(() => threads.close());

  test('reads many messages at once, refuses with the reason, and continues', async () => {
    const { kind: _, ...good } = question(signed);
    const bad = { ...good, inResponseTo: '_other' };
    const answers = await Promise.allSettled(
      [good, bad, good].map((each) => reader.readResponse('ada', each)),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(reader.readResponse('ada', bad)).rejects.toMatchObject({
      code: 'TOKEN_VERIFICATION_FAILED',
      message: 'InResponseTo of Response does not have the expected value',
    });
    expect(warned).toEqual([]);
  });

  test('reads metadata of the greatest size, and refuses others as invalid input', async () => {
    const now = new Date();
    const small = renderProviderMetadata('https://login.example.com/idp');
    const fill = '<!-- a federation says much -->'.repeat(16_000);
    const xml = small.replace('>', `>${fill}`);
    expect(xml.length).toBeGreaterThan(490_000);
    expect(await reader.readMetadata('ada', { xml, now })).toEqual(deriveSettings(small, now));
    await expect(reader.readMetadata('ada', { xml: '<a/>', now })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'Document is not SAML metadata',
    });
    expect(warned).toEqual([]);
  });

  test('is terminated when a message takes too long, and replaced for the next one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'silent-'));
    await writeFile(join(folder, 'saml-reader-thread.mjs'), SILENT);
    const silent = createThreads(pathToFileURL(`${folder}/`).href);
    const hasty = createSamlReaderWorker({
      decryptionKey: null,
      callerContext: createCallerContext(),
      threads: {
        open: <Q, A>(name: ThreadName, data: unknown) =>
          silent.open<Q, A>(name, data, { timeoutMs: 10 }),
      },
      log: { warn: (_, text) => warned.push(text) },
    });
    const { kind: _, ...good } = question(signed);
    for (const _ of [1, 2])
      await expect(hasty.readResponse('ada', good)).rejects.toMatchObject({
        code: 'TOKEN_VERIFICATION_FAILED',
        message: 'The SAML message cannot be read',
      });
    await expect(hasty.readMetadata('ada', { xml: '<a/>', now: new Date() })).rejects.toMatchObject(
      { code: 'VALIDATION_ERROR', message: 'The metadata cannot be read' },
    );
    expect(warned).toHaveLength(3);
    await silent.close();
  });
});
