// What the packages of a release are made of: the same bytes each time, nothing of the checkout, digests that show a change.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, inject, test } from 'vitest';
import { OWNER } from '../../scripts/release/owner.ts';
import { countShare } from './machine.ts';

const { first, second, seconds } = inject('packed');
const unpacked = join(inject('outside'), 'unpacked');
const NAMES = [
  'SHA256SUMS',
  'assay-0.1.0-py3-none-any.whl',
  'assay-0.1.0.tar.gz',
  'assay-0.1.0.tgz',
  'assay-sdk-0.1.0.tgz',
  'verify-bundle.mjs',
];
const readText = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const readManifest = (...path: string[]) =>
  JSON.parse(readText(...path, 'package.json')) as Record<string, unknown>;

beforeAll(() => {
  for (const name of ['assay', 'assay-sdk']) {
    const folder = join(unpacked, name);
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-xzf', join(first, `${name}-0.1.0.tgz`), '-C', folder]);
  }
  // Zip files are read by Python everywhere.
  const wheel = join(first, NAMES[1]!);
  execFileSync('python3', ['-m', 'zipfile', '-e', wheel, join(unpacked, 'wheel')]);
});

test('the same commit is packed to the same bytes, in two minutes at most', () => {
  expect(readdirSync(first).sort()).toEqual(NAMES);
  const isOther = (name: string): boolean =>
    !readFileSync(join(second, name)).equals(readFileSync(join(first, name)));
  expect(NAMES.filter(isOther)).toEqual([]);
  expect(seconds).toBeLessThan(120 * countShare());
});

// Each limit is about a third above what it was when it was set.
test.each([
  ['assay-0.1.0.tgz', 15],
  ['assay-sdk-0.1.0.tgz', 0.1],
  ['assay-0.1.0-py3-none-any.whl', 0.06],
  ['assay-0.1.0.tar.gz', 0.06],
  ['verify-bundle.mjs', 1.2],
])('%s has %d MiB at most', (name, limit) => {
  expect(statSync(join(first, name)).size / 1024 / 1024).toBeLessThan(limit);
});

const checkSums = (cwd: string): string | null => {
  try {
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd, stdio: 'pipe' });
    return null;
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  }
};

test.each(NAMES.slice(1))('one changed byte of %s is found by its digest', (name) => {
  const copy = join(inject('outside'), 'changed');
  cpSync(first, copy, { recursive: true });
  expect(checkSums(copy)).toBeNull();
  const bytes = readFileSync(join(copy, name));
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(join(copy, name), bytes);
  expect(checkSums(copy)).toBe(`${name}: FAILED\n`);
});

/** Everything that modules load by name from outside of their folder. */
async function listExternals(folder: string, files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...files],
    outdir: 'none',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const outside = Object.keys(metafile.inputs).filter((path) => path.startsWith('..'));
  const names = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path))
    .map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)![0]);
  return [...outside, ...new Set(names)].filter(
    (name) => !name.startsWith('node:') && !builtinModules.includes(name),
  );
}

const listPrograms = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /\.m?js$/.test(name));

test('what runs loads its dependencies alone, and nothing of the checkout', async () => {
  const dist = join(unpacked, 'assay/package/dist');
  const { dependencies } = readManifest(unpacked, 'assay/package') as {
    dependencies: Record<string, string>;
  };
  const programs = listPrograms(dist);
  expect(programs).toEqual(
    expect.arrayContaining(['assay.js', 'server.js', 'custodian.js', 'hook.mjs', 'pdf-thread.mjs']),
  );
  const loaded = await listExternals(dist, programs);
  expect(loaded.filter((name) => !(name in dependencies))).toEqual([]);
  expect(Object.keys(dependencies)).not.toContain('tsx');
});

test.each(['assay/package/dist/hook.mjs', 'assay/package/dist/verify-bundle.mjs'])(
  '%s needs no other file',
  async (file) => {
    const { dir, base } = { dir: join(unpacked, file, '..'), base: file.split('/').at(-1)! };
    expect(await listExternals(dir, [base])).toEqual([]);
    expect(readText(unpacked, file)).not.toMatch(/(from|import\()\s*["']\.\.?\//);
  },
);

test('the SDK has no dependencies, and types for each of its modules', async () => {
  const folder = join(unpacked, 'assay-sdk/package');
  const manifest = readManifest(folder) as { exports: Record<string, Record<string, string>> };
  expect(manifest).not.toHaveProperty('dependencies');
  expect(await listExternals(join(folder, 'dist'), listPrograms(join(folder, 'dist')))).toEqual([]);
  for (const files of Object.values(manifest.exports))
    for (const file of Object.values(files)) expect(statSync(join(folder, file)).size).not.toBe(0);
});

test('no package has a map, or names a folder of this machine', () => {
  for (const name of readdirSync(unpacked, { recursive: true, encoding: 'utf8' })) {
    expect(name).not.toMatch(/\.map$|__pycache__|node_modules/);
    if (/\.(m?js|json|md|py|ts|html|toml)$|METADATA$/.test(name))
      expect(readText(unpacked, name).includes(process.cwd()), name).toBe(false);
  }
});

test('licence and names are those that the owner chose', () => {
  const { licence, names } = OWNER;
  const service = readManifest(unpacked, 'assay/package');
  const sdk = readManifest(unpacked, 'assay-sdk/package');
  expect([service.name, sdk.name]).toEqual([names.service, names.sdk]);
  expect([service.license, sdk.license]).toEqual([licence, licence]);
  // No registry takes them before there is a licence.
  const isPrivate = licence === 'UNLICENSED' ? true : undefined;
  expect([service.private, sdk.private]).toEqual([isPrivate, isPrivate]);
  const metadata = readText(unpacked, `wheel/assay-0.1.0.dist-info/METADATA`);
  const expression = licence === 'UNLICENSED' ? 'LicenseRef-UNLICENSED' : licence;
  expect(metadata).toMatch(new RegExp(`^Name: ${names.python}$`, 'm'));
  expect(metadata).toMatch(new RegExp(`^License-Expression: ${expression}$`, 'm'));
  expect(metadata).toContain('Classifier: Typing :: Typed');
  expect(statSync(join(unpacked, 'wheel/assay/py.typed')).isFile()).toBe(true);
  for (const readme of [metadata, readText(unpacked, 'assay-sdk/package/README.md')])
    expect(readme).not.toMatch(/\]\((?!https?:|#)/);
});
