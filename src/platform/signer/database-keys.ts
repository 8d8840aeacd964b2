// Signing keys in the database, with envelope encryption under a key outside the database.
import { createPrivateKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import { generateToken } from '../ids.ts';
import { createVault, type Vault } from '../secrets/vault.ts';
import { createLocalKey } from './local-key.ts';
import type { ManagedKeys } from './signing-key.ts';

type KekConfig = Pick<Config, 'ASSAY_SIGNER_KEK' | 'ASSAY_SIGNER_KEK_OLD'>;

/** 32 bytes, in hex or base64. */
const KEK = /^([0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i;

/** `fallback`: the installation's vault, used without a key-encryption key. */
export function createDatabaseKeys(config: KekConfig, fallback: Vault): ManagedKeys {
  return {
    kind: 'managed',
    provider: 'database',
    async generate() {
      const outer = createOuterVault(config, fallback);
      const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
      const { kid, publicKey } = createLocalKey(privateKey, 'prod-jwk');
      const dataKey = generateToken();
      const text = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
      const sealed = {
        dataKey: outer.encrypt(dataKey, toDataKeyAad(kid)),
        privateKey: createInnerVault(dataKey).encrypt(text, toPrivateKeyAad(kid)),
      };
      return { kid, publicKey, sealed, kmsKeyId: null };
    },
    async openKey({ kid, sealed }) {
      if (!sealed) throw new Error('the record holds no encrypted key');
      const dataKey = createOuterVault(config, fallback).decrypt(sealed.dataKey, toDataKeyAad(kid));
      const text = createInnerVault(dataKey).decrypt(sealed.privateKey, toPrivateKeyAad(kid));
      const key = createLocalKey(createPrivateKey(text), 'prod-jwk');
      if (key.kid !== kid) throw new Error('the record holds another key than it names');
      return key;
    },
  };
}

const toDataKeyAad = (kid: string): string => `signing key ${kid} data key`;
const toPrivateKeyAad = (kid: string): string => `signing key ${kid} private key`;

const createInnerVault = (dataKey: string): Vault => createVault({ key: dataKey, formerKeys: [] });

/** @throws AppError `KMS_BAD_KEK` */
function createOuterVault(config: KekConfig, fallback: Vault): Vault {
  const { ASSAY_SIGNER_KEK: key, ASSAY_SIGNER_KEK_OLD: former } = config;
  if (key === undefined) return fallback;
  const formerKeys = former === undefined ? [] : [former];
  if (![key, ...formerKeys].every((text) => KEK.test(text))) throw new AppError('KMS_BAD_KEK');
  return createVault({ key, formerKeys });
}
