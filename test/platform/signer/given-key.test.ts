// Accepted and refused keys and certificate chains of the operator.
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createEnvironmentKey } from '../../../src/platform/signer/given-key.ts';
import type { SigningKey } from '../../../src/platform/signer/signing-key.ts';
import {
  createCertifiedKey,
  type KeyPair,
  createSelfSigned,
} from '../../setup/providers/self-signed.ts';

const good = createCertifiedKey('Assay');
const other = createCertifiedKey('Assay');
const ended = createCertifiedKey('Assay', '2020-02-02');

const certificatesOf = ({ certificate }: KeyPair): string[] =>
  certificate.split(/(?<=END CERTIFICATE-----\n)/);
const [own = '', above = ''] = certificatesOf(good);
const [, foreign = ''] = certificatesOf(other);
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const load = (key?: string, certificates?: string): Promise<SigningKey> =>
  createEnvironmentKey(
    loadConfig({ ASSAY_SIGNER_KEY: key, ASSAY_SIGNER_CERTIFICATE: certificates }),
    systemClock,
  ).loadKey();

test.for([
  ['no PEM', 'x', undefined],
  ['a key on another curve', p384, undefined],
  ['an RSA key', createSelfSigned('Assay').key, undefined],
  ['the certificate of another key', other.key, own],
  ['the chain in the wrong order', good.key, above + own],
  ['a certificate that has ended', ended.key, ended.certificate],
  ['certificates that are no chain', good.key, own + foreign],
  ['no certificate', good.key, 'x'],
  ['eleven certificates', good.key, own + above.repeat(10)],
])('refuses %s', async ([, key, certificates]) => {
  await expect(load(key, certificates)).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
});

test.for([
  ['a key alone', undefined, 'prod-jwk', 0],
  ['with its own certificate', own, 'prod-cert', 1],
  ['with the chain', own + above, 'prod-cert', 2],
] as const)('takes %s', async ([, certificates, mode, depth]) => {
  const key = await load(good.key, certificates);
  expect(key.mode).toBe(mode);
  expect(key.certificates).toHaveLength(depth);
  expect(await key.sign(Buffer.from('bytes'))).toHaveLength(64);
});

test('production never generates an ephemeral key', async () => {
  const config = { ...loadConfig({}), production: true };
  await expect(createEnvironmentKey(config, systemClock).loadKey()).rejects.toMatchObject({
    code: 'CONFIG_ERROR',
  });
});
