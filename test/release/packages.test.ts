// What the packages of a release are made of: the same bytes each time, nothing of the checkout, licences of all that is in them.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, inject, test } from 'vitest';
import { OWNER } from '../../scripts/release/owner.ts';
import { countShare } from './machine.ts';

const { first, second, version, seconds } = inject('packed');
const unpacked = join(inject('outside'), 'unpacked');
const BILLED = [
  `assay-${version}-image.tar`,
  `assay-${version}-py3-none-any.whl`,
  `assay-${version}.tgz`,
  `assay-sdk-${version}.tgz`,
  'verify-bundle.mjs',
];
const NAMES = [
  ...BILLED,
  ...BILLED.map((name) => `${name}.cdx.json`),
  ...['INSTALL.md', 'SHA256SUMS', 'SHA256SUMS.sig'],
  ...['', '.sha256', '.sha256.sig'].map((end) => `assay-${version}-offline.tar${end}`),
  ...['json', 'dsse.json'].map((end) => `assay-${version}.provenance.${end}`),
  `assay-${version}.tar.gz`,
  `assay-chart-${version}.tgz`,
].sort();
const readText = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const readManifest = (...path: string[]) =>
  JSON.parse(readText(...path, 'package.json')) as Record<string, unknown>;

function unpack(archive: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
}

beforeAll(() => {
  for (const name of ['assay', 'assay-sdk'])
    unpack(join(first, `${name}-${version}.tgz`), join(unpacked, name));
  // Zip files are read by Python everywhere.
  const wheel = join(first, `assay-${version}-py3-none-any.whl`);
  execFileSync('python3', ['-m', 'zipfile', '-e', wheel, join(unpacked, 'wheel')]);
});

test('the same commit is compiled to the same files', () => {
  const again = join(inject('outside'), 'unpacked-again');
  unpack(join(second, `assay-${version}.tgz`), again);
  const { stdout } = spawnSync('diff', ['-r', '--brief', join(unpacked, 'assay'), again]);
  expect(stdout.toString()).toBe('');
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
  [`assay-${version}-image.tar`, 130],
  [`assay-${version}.tgz`, 15],
  [`assay-chart-${version}.tgz`, 0.02],
  [`assay-sdk-${version}.tgz`, 0.1],
  [`assay-${version}-py3-none-any.whl`, 0.08],
  [`assay-${version}.tar.gz`, 0.08],
  ['verify-bundle.mjs', 1.2],
])('%s has %d MiB at most', (name, limit) => {
  expect(statSync(join(first, name)).size / 1024 / 1024).toBeLessThan(limit);
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

/** Packages that the compiler names in programs that it leaves readable. */
const listNamed = (program: string): string[] =>
  [...program.matchAll(/^ *\/\/ (?:\.\.\/)*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
    ([, name]) => name!,
  );

test('what is compiled in stands in the notices, with its licence', () => {
  const notices = readText(unpacked, 'assay/package/THIRD_PARTY_NOTICES.txt');
  const dist = join(unpacked, 'assay/package/dist');
  const named = new Set(listPrograms(dist).flatMap((name) => listNamed(readText(dist, name))));
  expect(named.size).toBeGreaterThan(50);
  const listed = new Set(
    [...notices.matchAll(/^-+\n(\S+) \d+\.\d+\.\S+ \(/gm)].map(([, name]) => name),
  );
  // Vite leaves no names in the console.
  const wanted = [...named, 'react', '@mantine/core', 'recharts', '@noble/curves', 'buffer'];
  expect(wanted.filter((name) => !listed.has(name))).toEqual([]);
  expect(notices).toContain('Permission is hereby granted');
});

test.each(['hook.mjs', 'verify-bundle.mjs'])('%s, which runs alone, brings its notices', (name) => {
  const program = readText(unpacked, 'assay/package/dist', name);
  const end = program.slice(program.lastIndexOf('Packages of others are compiled'));
  const named = new Set(listNamed(program));
  expect(named.size).toBeGreaterThan(0);
  for (const part of named) expect(end).toContain(`\n${part} `);
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
  const metadata = readText(unpacked, `wheel/assay-${version}.dist-info/METADATA`);
  const expression = licence === 'UNLICENSED' ? 'LicenseRef-UNLICENSED' : licence;
  expect(metadata).toMatch(new RegExp(`^Name: ${names.python}$`, 'm'));
  expect(metadata).toMatch(new RegExp(`^License-Expression: ${expression}$`, 'm'));
  expect(metadata).toContain('Classifier: Typing :: Typed');
  expect(statSync(join(unpacked, 'wheel/assay/py.typed')).isFile()).toBe(true);
  for (const readme of [metadata, readText(unpacked, 'assay-sdk/package/README.md')])
    expect(readme).not.toMatch(/\]\((?!https?:|#)/);
});
