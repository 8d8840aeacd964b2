// The image, taken apart by a program of others, and started as its user on a root that is only read, beside a real database.
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type EmbeddedMongod, startEmbedded } from '@assay/embedded-mongod';
import { NODE } from '../../scripts/release/image/base.ts';
import { readJson, ROOT } from '../../scripts/release/owner.ts';
import { createMachine, findPort, type Machine } from './machine.ts';

const { first, version } = inject('packed');
const folder = join(inject('outside'), 'image');
const root = join(folder, 'bundle/rootfs');

/** Starts `$@`, which begins with settings, in a root as containers do: read-only, with its own processes, as another user. */
const CONTAIN = `set -e
root=$1 uid=$2 gid=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o "uid=$uid,gid=$gid,mode=700" tmpfs "$root/app/data"
exec env -i "$@"`;

interface Configuration {
  process: {
    user: { uid: number; gid: number };
    args: string[];
    env: string[];
    cwd: string;
  };
}

/** Why the image cannot be started here, or an empty text. */
function findObstacle(): string {
  if (process.getuid?.() !== 0) return 'only root may change its root';
  if (spawnSync('umoci', ['--version']).status !== 0) return 'umoci is not installed';
  const { status, stderr } = spawnSync('unshare', ['-m', '-p', '-f', 'true']);
  return status === 0 ? '' : `no namespaces: ${stderr}`;
}
const obstacle = findObstacle();
if (obstacle !== '') console.log(`The image was not started: ${obstacle}.`);

describe.skipIf(obstacle !== '')('the image', () => {
  let machine: Machine;
  let configuration: Configuration['process'];
  let database: EmbeddedMongod;

  beforeAll(async () => {
    mkdirSync(join(folder, 'layout'), { recursive: true });
    const archive = join(first, `assay-${version}-image.tar`);
    execFileSync('tar', ['-xf', archive, '-C', join(folder, 'layout')]);
    execFileSync('umoci', ['unpack', '--image', `layout:${version}`, 'bundle'], { cwd: folder });
    const file = join(folder, 'bundle/config.json');
    configuration = readJson<Configuration>(file).process;
    machine = await createMachine('image-machine');
    const options = { binary: inject('mongod'), log: () => {}, ephemeral: true };
    database = await startEmbedded({ dataDir: join(folder, 'database'), ...options });
  });
  afterAll(() => database.stop());

  /** Starts what the image starts by itself, or Node.js with other arguments. */
  function start(settings: Record<string, string>, args?: readonly string[]): ChildProcess {
    const { user, env, cwd } = configuration;
    const named = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    const identity = [`--setuid=${user.uid}`, `--setgid=${user.gid}`];
    const enter = ['/usr/bin/unshare', `--root=${root}`, `--wd=${cwd}`, ...identity, '--'];
    const [program, ...own] = configuration.args;
    const inside = [...env, ...named, ...enter, program!, ...(args ?? own)];
    const outside = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', CONTAIN, 'sh'];
    return machine.start('unshare', ...outside, root, `${user.uid}`, `${user.gid}`, ...inside);
  }

  test('has Node.js, the service and no shell', () => {
    const { user, args, cwd } = configuration;
    expect(user).toMatchObject({ uid: 65532, gid: 65532 });
    expect([cwd, ...args]).toEqual([
      '/app',
      '/usr/bin/node',
      '--max-semi-space-size=128',
      'dist/server.js',
    ]);
    expect(readdirSync(join(root, 'usr/bin'))).toEqual(['node']);
    for (const folder of ['bin', 'sbin', 'usr/sbin'])
      expect(readdirSync(join(root, folder)), folder).toEqual([]);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) =>
      lstatSync(join(root, name)),
    );
    // No file gives rights, and nothing but the data and /tmp is for anybody to write.
    const isOpen = (file: Stats): boolean =>
      (file.isFile() && (file.mode & 0o6000) !== 0) ||
      (!file.isSymbolicLink() && (file.mode & 0o1002) === 0o002);
    expect(files.filter(isOpen)).toEqual([]);
    expect(files.filter(({ uid }) => uid !== 0)).toHaveLength(1);
  });

  test('the Node.js is of the version that the tests of the other image ran on', () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(dockerfile).toContain(`FROM node:${NODE.version.split('.')[0]}-`);
  });

  test('can write its data, and nothing else', async () => {
    const program = `const { writeFileSync } = require('node:fs');
      const attempt = (path) => { try { writeFileSync('/' + path, ''); return 'written'; } catch (error) { return error.code; } };
      const { version, getuid, getgid, getgroups } = process;
      console.log(JSON.stringify([version, getuid(), getgid(), getgroups(),
        ...['x', 'app/x', 'app/dist/server.js', 'tmp/x', 'app/data/x'].map(attempt)]));`;
    const child = start({}, ['-e', program]);
    const [out, problem] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
    expect(problem).toBe('');
    expect(JSON.parse(out)).toEqual([
      ...[`v${NODE.version}`, 65532, 65532, [65532]],
      ...['EROFS', 'EROFS', 'EROFS', 'written', 'written'],
    ]);
  });

  test('answers on /ready beside a database, takes an account, and ends in order', async () => {
    const port = await findPort();
    const secret = (): string => randomBytes(32).toString('hex');
    const child = start({
      PORT: port,
      MONGODB_URI: database.uri,
      REGISTRATION: 'open',
      ASSAY_JWT_SECRET: secret(),
      ASSAY_LEDGER_KEY: secret(),
      ASSAY_ENCRYPTION_KEY: secret(),
      ASSAY_METRICS_TOKEN: secret(),
      ASSAY_MAIL_TO_FILES: 'allow',
      ASSAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
    const printed = Promise.all([text(child.stdout!), text(child.stderr!)]);
    const at = (path: string, init?: RequestInit) =>
      fetch(`http://127.0.0.1:${port}${path}`, init).then(
        ({ status }) => status,
        () => 0,
      );
    const isReady = async () => (child.exitCode === null ? at('/ready') : (await printed).join(''));
    await expect.poll(isReady, { timeout: 40_000, interval: 200 }).toBe(200);
    expect([await at('/health'), await at('/console/'), await at('/docs/')]).toEqual([
      200, 200, 200,
    ]);
    // Hashes of passwords are computed by a library that is built for this system.
    const account = { name: 'Ada', email: 'ada@example.com', password: 'Correct-horse-42' };
    const body = JSON.stringify({ ...account, organizationName: 'Lovelace' });
    const headers = { 'content-type': 'application/json' };
    expect(await at('/api/v1/auth/register', { method: 'POST', headers, body })).toBe(201);
    process.kill(-child.pid!, 'SIGTERM');
    await once(child, 'exit');
    expect(child.exitCode, (await printed).join('')).toBe(0);
  });
});
