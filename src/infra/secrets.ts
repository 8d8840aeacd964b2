// Secrets of an instance: given by configuration, or made once beside the embedded database and kept with mode 0600.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { randomToken } from './ids.ts';

export interface Secrets {
  /** Signs session tokens. */
  jwt: string;
  /** Former session secrets that are still accepted. */
  formerJwt: readonly string[];
  /** Keys the idempotency digests; kept outside the database. */
  ledgerKey: string;
}

/** For the owner of the process alone. */
const PRIVATE = 0o600;

type Kept = Pick<Secrets, 'jwt' | 'ledgerKey'>;

/** What the configuration gives; what it does not give comes from `<dataDir>/secrets.json`, made when absent. */
export async function loadSecrets(
  config: Pick<Config, 'ASSAY_JWT_SECRET' | 'ASSAY_JWT_SECRET_OLD' | 'ASSAY_LEDGER_KEY' | 'ASSAY_DATA_DIR'>,
  log: (line: string) => void,
): Promise<Secrets> {
  const { ASSAY_JWT_SECRET: jwt, ASSAY_LEDGER_KEY: ledgerKey, ASSAY_JWT_SECRET_OLD: old } = config;
  const formerJwt = old === undefined ? [] : [old];
  if (jwt !== undefined && ledgerKey !== undefined) return { jwt, ledgerKey, formerJwt };
  const kept = await keptSecrets(config.ASSAY_DATA_DIR, log);
  return { jwt: jwt ?? kept.jwt, ledgerKey: ledgerKey ?? kept.ledgerKey, formerJwt };
}

async function keptSecrets(dataDir: string, log: (line: string) => void): Promise<Kept> {
  const path = join(dataDir, 'secrets.json');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text !== null) {
    await chmod(path, PRIVATE);
    return JSON.parse(text) as Kept;
  }
  const made: Kept = { jwt: randomToken(), ledgerKey: randomToken() };
  await mkdir(dataDir, { recursive: true });
  await writeFile(path, `${JSON.stringify(made, null, 2)}\n`, { mode: PRIVATE, flag: 'wx' });
  log(`secrets were made and are kept in ${path}`);
  return made;
}
