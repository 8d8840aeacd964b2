// All custodians keep to the same rules; each fails plainly, and tells nothing that is secret.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parseVerifierKey } from '@assay/tlog';
import { formatDestruction } from '../../../src/domain/erasure/destruction.ts';
import { createFileCustodian } from '../../../src/platform/custodian/file-custodian.ts';
import { createPeerCustodian } from '../../../src/platform/custodian/peer/peer-custodian.ts';
import {
  createVaultCustodian,
  type VaultAccess,
} from '../../../src/platform/custodian/vault-custodian.ts';
import { useFixture } from '../../setup/fixtures.ts';
import { startPeer, TOKEN } from './peer-server.ts';
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

describe('peer', () => {
  const peer = useFixture(startPeer, (started) => started.close());
  const open = () => createPeerCustodian({ url: peer.url, token: { value: TOKEN } });
  checkCustodian(open);

  /** Asks as any program may. */
  async function ask(method: string, path: string, body = '', token = TOKEN) {
    const answer = await fetch(`${peer.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(method === 'POST' && { body }),
    });
    const { error } = (await answer.json()) as { error?: { code: string; message: string } };
    return [answer.status, error?.code];
  }
  const state = (epoch: number, destroyedAt = new Date()): string =>
    JSON.stringify({
      text: formatDestruction({
        origin: 'example.com/log/heads',
        epoch,
        destroyedAt,
        rowsDigest: Buffer.alloc(32),
      }),
    });

  test('it signs that keys are destroyed once they are, at the time when it is asked', async () => {
    const [{ ticket }] = [await open().makeEpoch(5), await open().makeEpoch(6)];
    expect(await ask('POST', '/statements', state(5))).toEqual([409, 'NOT_DESTROYED']);
    await open().destroyBefore(6, ticket);
    expect(await ask('POST', '/statements', state(5))).toEqual([200, undefined]);
    expect(await ask('POST', '/statements', state(6))).toEqual([409, 'NOT_DESTROYED']);
    const early = new Date(Date.now() - 3_600_000);
    expect(await ask('POST', '/statements', state(5, early))).toEqual([409, 'WRONG_TIME']);
    const other = JSON.stringify({ text: 'example.com/log\n1\nAAAA\n' });
    expect(await ask('POST', '/statements', other)).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('a destroyed epoch is not made again, and nothing is destroyed for one that is not there', async () => {
    await open().makeEpoch(7);
    await open().destroyBefore(7, '');
    await expect(open().makeEpoch(6)).rejects.toThrow(/epochs\/6 with status 409/);
    expect(await ask('POST', '/epochs/6')).toEqual([409, 'EPOCH_DESTROYED']);
    expect(await ask('POST', '/epochs/99/destroy-before')).toEqual([409, 'EPOCH_UNKNOWN']);
    expect(await open().openEpoch(7, '')).toHaveLength(32);
  });

  test('without its token it says nothing, and odd requests are refused', async () => {
    for (const token of ['', 'x', `${TOKEN}x`])
      expect(await ask('GET', '/epochs/7', '', token)).toEqual([401, 'UNAUTHENTICATED']);
    for (const path of ['/', '/epochs', '/epochs/0', '/epochs/-1', '/epochs/1e3', '/epochs/7/x'])
      expect(await ask('GET', path), path).toEqual([404, 'NOT_FOUND']);
    expect(await ask('DELETE', '/epochs/7')).toEqual([404, 'NOT_FOUND']);
    for (const body of ['', '{', '[]', '{"text":1}', '{"text":"","more":1}'])
      expect(await ask('POST', '/statements', body), body).toEqual([400, 'VALIDATION_ERROR']);
    const long = JSON.stringify({ text: 'x'.repeat(5000) });
    expect(await ask('POST', '/statements', long)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const records = peer.records.map(({ what, status }) => `${what} ${status}`);
    expect(records).toContain('GET /epochs/7 401');
    expect(JSON.stringify(peer.records)).not.toContain(TOKEN);
  });

  test('a custodian that answers otherwise, or not at all, is an error without the token', async () => {
    const other = createPeerCustodian({ url: `${peer.url}/other`, token: { value: TOKEN } });
    await expect(other.openEpoch(7, '')).rejects.toThrow(/answered \/epochs\/7 with status 404/);
    const path = join(await mkdtemp(join(tmpdir(), 'assay-token-')), 'token');
    await writeFile(path, 'expired\n');
    const expired = createPeerCustodian({ url: peer.url, token: { path } });
    const error = await expired.loadSigner().catch((found: Error) => found);
    expect(String(error)).toMatch(/status 401/);
    await writeFile(path, `${TOKEN}\n`);
    expect((await expired.loadSigner()).publicKey).toHaveLength(32);
  });
});

describe('npm run custodian', () => {
  const program = fileURLToPath(new URL('start-custodian.mjs', inject('built')));
  const makeFolder = () => mkdtemp(join(tmpdir(), 'assay-custodian-'));

  test(
    'serves an installation, names its key, and ends when it is asked to',
    { tags: ['long'] },
    async () => {
      const folder = await makeFolder();
      await writeFile(join(folder, 'token'), `${TOKEN}\n`);
      const named = ['--token-file', join(folder, 'token'), '--name', 'custodian.example.org'];
      const given = ['--folder', join(folder, 'keys'), ...named, '--port', '0'];
      const child = spawn(process.execPath, [program, ...given], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exit = once(child, 'exit');
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const { listening, verifierKey } = JSON.parse((await lines.next()).value as string);
      const custodian = createPeerCustodian({ url: listening, token: { value: TOKEN } });
      const { key } = await custodian.makeEpoch(1);
      expect((await custodian.openEpoch(1, ''))?.equals(key)).toBe(true);
      const { publicKey } = await custodian.loadSigner();
      const said = parseVerifierKey(verifierKey);
      expect(said).toMatchObject({ name: 'custodian.example.org/custodian', publicKey });
      expect(JSON.parse((await lines.next()).value as string)).toMatchObject({
        what: 'POST /epochs/1',
        status: 200,
      });
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
      await rm(folder, { recursive: true });
    },
  );

  test('says what is missing or too short', { tags: ['long'] }, async () => {
    const folder = await makeFolder();
    const token = join(folder, 'token');
    await writeFile(token, 'short');
    const whole = ['--folder', folder, '--token-file', token, '--name', 'example.org'];
    for (const [given, said] of [
      [[], 'give --folder, --token-file and --name'],
      [['here'], 'give options only, not here'],
      [whole, 'the token must have 32 characters or more'],
      [[...whole, '--port', '65536'], '--port: give a number up to 65535'],
      [[...whole.slice(0, -1), 'https://example.org'], '--name: give a host'],
    ] as const) {
      const { status, stderr } = spawnSync(process.execPath, [program, ...given]);
      expect([status, stderr.toString()]).toEqual([1, expect.stringContaining(said)]);
    }
    await rm(folder, { recursive: true });
  });
});
