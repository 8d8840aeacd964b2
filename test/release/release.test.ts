// What a release says of itself: the commands of the documents find each change, and bills and provenance name what is there.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { beforeAll, expect, inject, test } from 'vitest';
import { finishRelease } from '../../scripts/release/finish.ts';
import { writeInstructions } from '../../scripts/release/instructions.ts';
import { readJson, ROOT } from '../../scripts/release/owner.ts';
import { readReleaseKey } from '../../scripts/release/signing.ts';

const { first, version, publicKey } = inject('packed');
const folder = join(inject('outside'), 'received');
const names = readdirSync(first);

/** Lines of a document that a shell runs, by their blocks. */
const listCommands = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
const findCommand = (file: string, part: string): string => {
  const found = listCommands(file).filter((block) => block.includes(part));
  expect(found).toHaveLength(1);
  return found[0]!;
};
const GUIDE = join(ROOT, 'docs/operate/release.md');

const runCommand = (command: string, cwd = folder) =>
  spawnSync('bash', ['-ec', command], { cwd, encoding: 'utf8' });
/** Whether the guide's commands find nothing wrong. */
const isIntact = (): boolean => runCommand(findCommand(GUIDE, 'openssl dgst')).status === 0;

beforeAll(() => {
  mkdirSync(folder);
  for (const name of names) linkSync(join(first, name), join(folder, name));
  writeFileSync(join(folder, 'release.pub'), publicKey);
});

test('the commands find nothing wrong', () => {
  expect(isIntact()).toBe(true);
  // INSTALL.md names what is in the archive, and nothing beside it.
  const own = listCommands(join(folder, 'INSTALL.md')).slice(0, 2).join('\n');
  expect(own).toContain('sha256sum --check SHA256SUMS\n');
  const { status, stdout, stderr } = runCommand(own);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Verified OK');
});

function changeByte(name: string): void {
  const bytes = readFileSync(join(first, name));
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  rmSync(join(folder, name));
  writeFileSync(join(folder, name), bytes);
}
function restore(name: string): void {
  rmSync(join(folder, name));
  linkSync(join(first, name), join(folder, name));
}
const SIGNED = /^SHA256SUMS|\.sha256/;

test('one changed byte of any file is found by its name', () => {
  const changed = names.filter((name) => !SIGNED.test(name));
  expect(changed.length).toBeGreaterThan(15);
  for (const name of changed) changeByte(name);
  const { stdout } = runCommand(findCommand(GUIDE, 'openssl dgst'));
  const found = [...stdout.matchAll(/^(.*): FAILED$/gm)].map(([, name]) => name);
  expect(found.sort()).toEqual(changed);
  for (const name of changed) restore(name);
});

test.each(names.filter((name) => SIGNED.test(name)))('one changed byte of %s is found', (name) => {
  changeByte(name);
  expect(isIntact()).toBe(false);
  restore(name);
});

test('another key did not sign it', () => {
  const { publicKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, 'release.pub'), other.export({ type: 'spki', format: 'pem' }));
  expect(isIntact()).toBe(false);
  writeFileSync(join(folder, 'release.pub'), publicKey);
  expect(isIntact()).toBe(true);
});

interface Statement {
  subject: { name: string; digest: { sha256: string } }[];
  predicate: { buildDefinition: { resolvedDependencies: { digest: { gitCommit?: string } }[] } };
}

test('the signed provenance names the commit and the digest of each file', () => {
  const command = findCommand(GUIDE, 'DSSEv1');
  const { stdout } = runCommand(command);
  const provenance = join(folder, `assay-${version}.provenance.json`);
  expect(stdout.trim()).toBe(readFileSync(provenance, 'utf8'));
  const { subject, predicate } = JSON.parse(stdout) as Statement;
  for (const { name, digest } of subject) {
    const content = createHash('sha256').update(readFileSync(join(folder, name)));
    expect(content.digest('hex'), name).toBe(digest.sha256);
  }
  const described = new Set(subject.map(({ name }) => name));
  expect(
    names.filter((name) => !described.has(name) && !/offline|SUMS|provenance/.test(name)),
  ).toEqual([]);
  const [source] = predicate.buildDefinition.resolvedDependencies;
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  expect(source?.digest.gitCommit).toBe(commit.trim());
});

test('a changed statement is not the signed one', () => {
  const name = `assay-${version}.provenance.dsse.json`;
  const envelope = readJson<{ payload: string }>(join(first, name));
  const text = Buffer.from(envelope.payload, 'base64').toString().replace(version, '9.9.9');
  const forged = { ...envelope, payload: Buffer.from(text).toString('base64') };
  rmSync(join(folder, name));
  writeFileSync(join(folder, name), JSON.stringify(forged));
  const { status, stderr } = runCommand(findCommand(GUIDE, 'DSSEv1'));
  expect(status).not.toBe(0);
  expect(stderr).toContain('forged');
  restore(name);
});

const bills = names.filter((name) => name.endsWith('.cdx.json'));

test.each(bills)('%s is a bill by the schema, and of a file that is there', async (name) => {
  const text = readFileSync(join(first, name), 'utf8');
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
  expect(await validator.validate(text)).toBeNull();
  expect(names).toContain(name.replace('.cdx.json', ''));
});

test('the bills name what is installed, what is compiled in, and what is below', () => {
  const list = (name: string): Set<string> => {
    const bill = readJson<{ components: { name: string }[] }>(join(first, `${name}.cdx.json`));
    return new Set(bill.components.map((component) => component.name));
  };
  const service = list(`assay-${version}.tgz`);
  for (const name of ['express', '@node-rs/argon2', 'react', 'commander'])
    expect(service, name).toContain(name);
  const image = list(`assay-${version}-image.tar`);
  for (const name of [...service, 'assay', 'libc6', `node-linux-${process.arch}`])
    expect(image, name).toContain(name);
  expect([...list(`assay-${version}-py3-none-any.whl`)]).toContain('httpx');
  expect(list('verify-bundle.mjs')).toContain('pkijs');
});

test('the archive holds all, and the image runs without containers', () => {
  const archive = `assay-${version}-offline.tar`;
  execFileSync('tar', ['-xf', archive], { cwd: folder });
  const inside = join(folder, `assay-${version}-offline`);
  expect(readdirSync(inside).sort()).toEqual(
    names.filter((name) => !name.startsWith(archive)).sort(),
  );
  const command = findCommand(join(inside, 'INSTALL.md'), 'for layer in');
  const { status, stdout, stderr } = runCommand(command, inside);
  expect([status, stdout, stderr]).toEqual([0, `${version}\n`, '']);
});

test('without a key it is not signed, and says so', async () => {
  const plain = join(inject('outside'), 'plain');
  mkdirSync(plain);
  process.env.SOURCE_DATE_EPOCH = '1';
  copyFileSync(join(first, 'verify-bundle.mjs'), join(plain, 'verify-bundle.mjs'));
  const facts = { image: 'assay', digest: '', layers: [], service: '', sdk: '', wheel: '' };
  writeInstructions(join(plain, 'INSTALL.md'), { ...facts, version }, readReleaseKey(''));
  const release = { version, revision: '', isChanged: true, parts: [] };
  await finishRelease(plain, release, readReleaseKey(''));
  const provenance = readFileSync(join(plain, `assay-${version}.provenance.json`), 'utf8');
  expect(provenance).toContain('"uncommittedChanges":true');
  expect(readdirSync(plain).filter((name) => /\.sig$|dsse/.test(name))).toEqual([]);
  expect(readFileSync(join(plain, 'INSTALL.md'), 'utf8')).toContain('is not signed');
  expect(readFileSync(join(folder, 'INSTALL.md'), 'utf8')).not.toContain('is not signed');
  expect(runCommand('sha256sum --check --strict SHA256SUMS', plain).status).toBe(0);
});

test('the guide makes a key that signs', async () => {
  const made = join(inject('outside'), 'key');
  mkdirSync(made);
  const [generate, show, pack] = findCommand(GUIDE, 'ecparam').trim().split('\n');
  expect(pack).toBe('ASSAY_RELEASE_KEY=release.key npm run release:pack');
  expect(runCommand(`${generate}\n${show}`, made).status).toBe(0);
  const key = readReleaseKey(join(made, 'release.key'))!;
  const bytes = Buffer.from('any');
  const signature = Buffer.from(key.signFile(bytes), 'base64');
  const pem = readFileSync(join(made, 'release.pub'));
  expect(verify('sha256', bytes, pem, signature)).toBe(true);
  expect(
    verify('sha256', bytes, { key: pem, dsaEncoding: 'ieee-p1363' }, await key.sign(bytes)),
  ).toBe(true);
});

test('a key of another kind is refused', () => {
  const options = { type: 'pkcs8', format: 'pem' } as const;
  const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const key of [other.export(options), rsa.export(options), 'missing.pem', publicKey])
    expect(() => readReleaseKey(String(key))).toThrow(/private key on P-256/);
});
