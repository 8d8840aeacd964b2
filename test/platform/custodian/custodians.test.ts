// Both custodians keep to the same rules; each fails plainly, and tells nothing that is secret.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileCustodian } from '../../../src/platform/custodian/file-custodian.ts';
import {
  createVaultCustodian,
  type VaultAccess,
} from '../../../src/platform/custodian/vault-custodian.ts';
import { useFixture } from '../../setup/fixtures.ts';
import { startVault } from './vault-transit.ts';
import { checkCustodian } from './custodian-rules.ts';

describe('file', () => {
  let folder = '';
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'assay-custodian-')), 'made', 'here');
  });
  afterAll(() => rm(folder, { recursive: true }));
  checkCustodian(() => createFileCustodian(folder));

  test('only the owner of the process reads the folder and its files', async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const names = (await readdir(folder)).sort();
    expect(names).toEqual(['epoch-2.key', 'epoch-3.key', 'statements.pem']);
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  test('of those who make one epoch at once, all get the same key', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () => createFileCustodian(folder).makeEpoch(4)),
    );
    expect(new Set(made.map(({ key }) => key.toString('hex'))).size).toBe(1);
    expect((await readFile(join(folder, 'epoch-4.key'), 'utf8')).trim()).toBe(
      made[0]?.key.toString('base64url'),
    );
  });

  test('a file that holds no key is an error, not another key', async () => {
    await writeFile(join(folder, 'epoch-9.key'), 'short');
    await expect(createFileCustodian(folder).openEpoch(9, '')).rejects.toThrow(
      /holds no epoch key/,
    );
    await rm(join(folder, 'epoch-9.key'));
  });
});

describe('vault', () => {
  const vault = useFixture(startVault, (server) => server.close());
  const toAccess = (): VaultAccess => ({
    url: vault.url,
    token: { value: vault.token },
    mount: 'transit',
    key: 'assay-epochs',
    signer: 'assay-statements',
  });
  checkCustodian(() => createVaultCustodian(toAccess()));

  test('the token is read from its file at each call', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'assay-token-')), 'token');
    const custodian = createVaultCustodian({ ...toAccess(), token: { path } });
    await writeFile(path, 'expired\n');
    await expect(custodian.loadSigner()).rejects.toThrow(/status 403/);
    await writeFile(path, `${vault.token}\n`);
    expect((await custodian.loadSigner()).publicKey).toHaveLength(32);
  });

  test('a refusal is an error that tells neither token nor answer', async () => {
    const custodian = createVaultCustodian(toAccess());
    for (const status of [400, 403, 500, 503]) {
      vault.failing.status = status;
      const error = await custodian.makeEpoch(5).catch((found: Error) => found);
      expect(String(error)).toMatch(new RegExp(`status ${status}`));
      expect(String(error)).not.toMatch(/secret of the vault/);
      expect(String(error)).not.toContain(vault.token);
    }
    for (const status of [403, 500, 503]) {
      vault.failing.status = status;
      await expect(custodian.openEpoch(3, 'vault:v3:AAAA')).rejects.toThrow(`status ${status}`);
    }
    vault.failing.status = null;
  });
});
