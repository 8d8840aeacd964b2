// The signing key that the operator configures, in the environment or in a file, optionally with a certificate chain.
import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import { createLocalKey } from './local-key.ts';
import type { GivenKey, SigningKey } from './signing-key.ts';

/** Key and certificate chain in PEM. */
interface KeyPem {
  key: string | undefined;
  certificates: string | undefined;
}

const MAX_CERTIFICATES = 10;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export function createEnvironmentKey(config: Config, clock: Clock): GivenKey {
  const { ASSAY_SIGNER_KEY: key, ASSAY_SIGNER_CERTIFICATE: certificates, production } = config;
  return {
    kind: 'given',
    provider: 'env',
    loadKey() {
      if (key === undefined && !production) return createEphemeralKey();
      return readSigningKey(() => Promise.resolve({ key, certificates }), clock);
    },
  };
}

export function createFileKey(config: Config, clock: Clock): GivenKey {
  const readPem = (path: string | undefined) =>
    path === undefined ? undefined : readFile(path, 'utf8');
  return {
    kind: 'given',
    provider: 'file',
    loadKey: () =>
      readSigningKey(
        async () => ({
          key: await readPem(config.ASSAY_SIGNER_KEY_FILE),
          certificates: await readPem(config.ASSAY_SIGNER_CERTIFICATE_FILE),
        }),
        clock,
      ),
  };
}

/** A key for evaluation, which ends with the process. Its signatures stay verifiable. */
async function createEphemeralKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return createLocalKey(privateKey, 'ephemeral-jwk');
}

async function readSigningKey(read: () => Promise<KeyPem>, clock: Clock): Promise<SigningKey> {
  try {
    const { key, certificates } = await read();
    if (key === undefined) throw new TypeError('no key is given');
    const privateKey = createPrivateKey(key);
    if (certificates === undefined) return createLocalKey(privateKey, 'prod-jwk');
    return createLocalKey(
      privateKey,
      'prod-cert',
      parseChain(certificates, privateKey, clock.now()),
    );
  } catch (cause) {
    throw new AppError('CONFIG_ERROR', 'The signing key cannot be used', { cause });
  }
}

/** @throws TypeError unless each certificate is valid now and signed by the next one, and the first is that of the key */
function parseChain(pem: string, key: KeyObject, now: Date): string[] {
  const chain = (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
  const [own] = chain;
  if (!own || chain.length > MAX_CERTIFICATES) throw new TypeError('not a certificate chain');
  if (!own.checkPrivateKey(key)) throw new TypeError('the certificate is that of another key');
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1];
    if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo))
      throw new TypeError('a certificate of the chain is not valid now');
    if (issuer && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)))
      throw new TypeError('the certificates are no chain');
  }
  return chain.map(({ raw }) => raw.toString('base64'));
}
