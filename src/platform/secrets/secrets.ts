// Secrets of an instance: given by configuration, or made once beside the embedded database and kept with mode 0600.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { randomToken } from '../ids.ts';

export interface Secrets {
  /** Signs session tokens. */
  jwt: string;
  /** Former session secrets that are still accepted. */
  formerJwt: readonly string[];
  /** Keys the idempotency digests; kept outside the database. */
  ledgerKey: string;
  /** Encrypts secrets of users; kept outside the database. */
  encryptionKey: string;
  /** Former encryption keys that still open what they closed. */
  formerEncryption: readonly string[];
}

/** For the owner of the process alone. */
const PRIVATE = 0o600;

type Kept = Pick<Secrets, 'jwt' | 'ledgerKey' | 'encryptionKey'>;
type Given = Pick<
  Config,
  | 'ASSAY_JWT_SECRET'
  | 'ASSAY_JWT_SECRET_OLD'
  | 'ASSAY_LEDGER_KEY'
  | 'ASSAY_ENCRYPTION_KEY'
  | 'ASSAY_ENCRYPTION_KEY_OLD'
  | 'ASSAY_DATA_DIR'
>;

/** What the configuration gives; what it does not give comes from `<dataDir>/secrets.json`, made when absent. */
export async function loadSecrets(config: Given, log: (line: string) => void): Promise<Secrets> {
  const {
    ASSAY_JWT_SECRET: jwt,
    ASSAY_LEDGER_KEY: ledgerKey,
    ASSAY_ENCRYPTION_KEY: encryptionKey,
  } = config;
  const former = {
    formerJwt: listed(config.ASSAY_JWT_SECRET_OLD),
    formerEncryption: listed(config.ASSAY_ENCRYPTION_KEY_OLD),
  };
  if (jwt !== undefined && ledgerKey !== undefined && encryptionKey !== undefined)
    return { jwt, ledgerKey, encryptionKey, ...former };
  const kept = await keptSecrets(config.ASSAY_DATA_DIR, log);
  return {
    jwt: jwt ?? kept.jwt,
    ledgerKey: ledgerKey ?? kept.ledgerKey,
    encryptionKey: encryptionKey ?? kept.encryptionKey,
    ...former,
  };
}

const listed = (old: string | undefined): string[] => (old === undefined ? [] : [old]);

/** A file of an earlier version gets the secrets that it lacks. */
async function keptSecrets(dataDir: string, log: (line: string) => void): Promise<Kept> {
  const path = join(dataDir, 'secrets.json');
  const text = await readFile(path, 'utf8').catch(() => null);
  const found = text === null ? {} : (JSON.parse(text) as Partial<Kept>);
  const made: Kept = {
    jwt: randomToken(),
    ledgerKey: randomToken(),
    encryptionKey: randomToken(),
    ...found,
  };
  if (text !== null) await chmod(path, PRIVATE);
  if (Object.keys(made).length === Object.keys(found).length) return made;
  await mkdir(dataDir, { recursive: true });
  await writeFile(path, `${JSON.stringify(made, null, 2)}\n`, {
    mode: PRIVATE,
    flag: text === null ? 'wx' : 'w',
  });
  log(`secrets were made and are kept in ${path}`);
  return made;
}
