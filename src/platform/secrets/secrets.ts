// The secrets of an instance: from the configuration, or generated once and stored in the data folder with mode 0600.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { generateToken } from '../ids.ts';

export interface Secrets {
  /** Signs session tokens. */
  jwt: string;
  /** Previous session secrets, still accepted. */
  formerJwt: readonly string[];
  /** Keys the idempotency digests; not in the database. */
  ledgerKey: string;
  /** Encrypts the secrets of users; not in the database. */
  encryptionKey: string;
  /** Previous encryption keys, for decryption only. */
  formerEncryption: readonly string[];
}

/** Readable by the owner of the process only. */
const PRIVATE_MODE = 0o600;

type StoredSecrets = Pick<Secrets, 'jwt' | 'ledgerKey' | 'encryptionKey'>;
type SecretsConfig = Pick<
  Config,
  | 'ASSAY_JWT_SECRET'
  | 'ASSAY_JWT_SECRET_OLD'
  | 'ASSAY_LEDGER_KEY'
  | 'ASSAY_ENCRYPTION_KEY'
  | 'ASSAY_ENCRYPTION_KEY_OLD'
  | 'ASSAY_DATA_DIR'
>;

/** Takes secrets from the configuration, and missing ones from `<dataDir>/secrets.json`, created when absent. */
export async function loadSecrets(
  config: SecretsConfig,
  log: (line: string) => void,
): Promise<Secrets> {
  const {
    ASSAY_JWT_SECRET: jwt,
    ASSAY_LEDGER_KEY: ledgerKey,
    ASSAY_ENCRYPTION_KEY: encryptionKey,
  } = config;
  const former = {
    formerJwt: toList(config.ASSAY_JWT_SECRET_OLD),
    formerEncryption: toList(config.ASSAY_ENCRYPTION_KEY_OLD),
  };
  if (jwt !== undefined && ledgerKey !== undefined && encryptionKey !== undefined)
    return { jwt, ledgerKey, encryptionKey, ...former };
  const stored = await loadStoredSecrets(config.ASSAY_DATA_DIR, log);
  return {
    jwt: jwt ?? stored.jwt,
    ledgerKey: ledgerKey ?? stored.ledgerKey,
    encryptionKey: encryptionKey ?? stored.encryptionKey,
    ...former,
  };
}

const toList = (old: string | undefined): string[] => (old === undefined ? [] : [old]);

/** Reads the file, and adds the secrets that it lacks. */
async function loadStoredSecrets(
  dataDir: string,
  log: (line: string) => void,
): Promise<StoredSecrets> {
  const path = join(dataDir, 'secrets.json');
  const text = await readFile(path, 'utf8').catch(() => null);
  const found = text === null ? {} : (JSON.parse(text) as Partial<StoredSecrets>);
  const secrets: StoredSecrets = {
    jwt: generateToken(),
    ledgerKey: generateToken(),
    encryptionKey: generateToken(),
    ...found,
  };
  if (text !== null) await chmod(path, PRIVATE_MODE);
  if (Object.keys(secrets).length === Object.keys(found).length) return secrets;
  await mkdir(dataDir, { recursive: true });
  await writeFile(path, `${JSON.stringify(secrets, null, 2)}\n`, {
    mode: PRIVATE_MODE,
    flag: text === null ? 'wx' : 'w',
  });
  log(`secrets generated and stored in ${path}`);
  return secrets;
}
