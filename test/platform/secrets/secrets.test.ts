// Secrets of an instance: configured, or generated once and stored in a private file.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { loadSecrets, type Secrets } from '../../../src/platform/secrets/secrets.ts';

let folder: string;
let said: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(inject('scratch'), 'assay-secrets-'));
  said = [];
});
afterEach(() => rm(folder, { recursive: true }));

const load = (environment: Record<string, string> = {}): Promise<Secrets> =>
  loadSecrets(loadConfig({ ASSAY_DATA_DIR: join(folder, 'data'), ...environment }), (line) =>
    said.push(line),
  );
const given = {
  ASSAY_JWT_SECRET: 'j'.repeat(32),
  ASSAY_LEDGER_KEY: 'l'.repeat(32),
  ASSAY_ENCRYPTION_KEY: 'e'.repeat(32),
};

test('secrets are generated once, stored in a private file, and read again at the next start', async () => {
  const made = await load();
  expect(made.jwt).toMatch(/^[\w-]{43}$/);
  const keys = [made.jwt, made.ledgerKey, made.encryptionKey];
  expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[\w-]{43}$/)));
  expect(new Set(keys).size).toBe(3);
  const path = join(folder, 'data', 'secrets.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(said).toEqual([expect.stringContaining(path)]);
  expect(said.join()).not.toContain(made.jwt);
  expect(await load()).toEqual(made);
  expect(said).toHaveLength(1);
});

test('a file that other users could read is made private', async () => {
  await load();
  const path = join(folder, 'data', 'secrets.json');
  const text = await readFile(path);
  await rm(path);
  await writeFile(path, text, { mode: 0o644 });
  await load();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('configured secrets are used, and nothing is written', async () => {
  expect(await load(given)).toEqual({
    jwt: given.ASSAY_JWT_SECRET,
    ledgerKey: given.ASSAY_LEDGER_KEY,
    encryptionKey: given.ASSAY_ENCRYPTION_KEY,
    formerJwt: [],
    formerEncryption: [],
  });
  await expect(stat(join(folder, 'data'))).rejects.toThrow('ENOENT');
});

test('a configured secret can be combined with stored ones', async () => {
  const kept = await load();
  expect(await load({ ASSAY_JWT_SECRET: given.ASSAY_JWT_SECRET })).toEqual({
    ...kept,
    jwt: given.ASSAY_JWT_SECRET,
  });
});

test('a file of an earlier version keeps its secrets and gets the missing one', async () => {
  const { encryptionKey: _, ...earlier } = await load();
  const path = join(folder, 'data', 'secrets.json');
  await writeFile(path, JSON.stringify({ jwt: earlier.jwt, ledgerKey: earlier.ledgerKey }));
  const completed = await load();
  expect(completed).toEqual({ ...earlier, encryptionKey: expect.stringMatching(/^[\w-]{43}$/) });
  expect(await load()).toEqual(completed);
});

test('former secrets are still accepted', async () => {
  const old = { ASSAY_JWT_SECRET_OLD: 'o'.repeat(32), ASSAY_ENCRYPTION_KEY_OLD: 'p'.repeat(32) };
  expect(await load({ ...given, ...old })).toMatchObject({
    formerJwt: [old.ASSAY_JWT_SECRET_OLD],
    formerEncryption: [old.ASSAY_ENCRYPTION_KEY_OLD],
  });
});
