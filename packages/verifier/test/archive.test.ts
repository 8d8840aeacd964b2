// The verifier never calls an altered audit bundle intact.
// Alterations: ambiguous archives, contradicting manifests, and missing values.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, type JsonObject } from '@assay/json';
import { toManifestText } from '../../../src/domain/audit-bundle/manifest.ts';
import { signText } from '../../../src/domain/provenance/jws.ts';
import type { ArchiveReport } from '../src/archive/verify-archive.ts';
import { verifyFile } from '../src/verify-file.ts';
import {
  BLOCK,
  createKey,
  describeEntries,
  END,
  createFiles,
  type HeaderChange,
  createOmissionsFile,
  type SampleFile,
  buildTarEntry,
  buildTarGz,
  buildTar,
} from '../../../test/domain/record/samples/sample-archive.ts';
import {
  createBundleLines,
  disclosed,
  type Sample,
  SampleChain,
} from '../../../test/domain/record/samples/sample-chain.ts';

const NAMES = ['inputContext', 'outputDecision'];
const key = createKey();
const otherKey = createKey();
const chain = createChain(4, 'act');
const entries = disclosed(chain, NAMES);
const manifest = describeEntries(entries, NAMES);
let files: SampleFile[] = [];
beforeAll(async () => {
  files = await createFiles(entries, manifest, key);
});

const folder = mkdtempSync(join(tmpdir(), 'assay-archive-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function createChain(length: number, action: string): Sample[] {
  const sample = new SampleChain();
  for (let i = 0; i < length; i++)
    sample.trace({ inputContext: { prompt: `p${i}` }, outputDecision: { action, i } });
  return sample.entries;
}

let written = 0;
async function verify(bytes: Buffer, keys: readonly string[] = [key.kid]): Promise<ArchiveReport> {
  const path = join(folder, String(written++));
  writeFileSync(path, bytes);
  const report = (await verifyFile(path, { keys })) as ArchiveReport;
  expect(report.problemCount).toBe(report.problems.length);
  return report;
}

const codesOf = ({ problems }: ArchiveReport): string[] => problems.map(({ code }) => code);
const fileOf = (name: string): SampleFile => files.find((file) => file.name === name)!;
const replaced = (name: string, change: (text: string) => string): SampleFile[] =>
  files.map((file) => (file.name === name ? { name, text: change(file.text) } : file));
const evil = (name: string): SampleFile => ({ name, text: 'evil' });
/** The archive with one modified header. */
const headed = (name: string, change: HeaderChange): Buffer =>
  gzipSync(
    Buffer.concat([
      ...files.map((file) =>
        file.name === name ? buildTarEntry(file, change) : buildTarEntry(file),
      ),
      END,
    ]),
  );
/** The archive with additional bytes after its files. */
const ended = (end: Buffer): Buffer => gzipSync(buildTar(files, end));

test('an archive of the server is intact, also with a full last record', async () => {
  for (const bytes of [buildTarGz(files), buildTar(files), ended(Buffer.alloc(20 * BLOCK))]) {
    const report = await verify(bytes);
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ verdict: 'intact', isTrusted: true, vouchedUpTo: 4 });
  }
});

test('sizes and checksums may end with a blank', async () => {
  const bytes = buildTar(files);
  const size = bytes.toString('latin1', 124, 135);
  const header = buildTarEntry(files[0]!, { size: `${size} ` });
  const report = await verify(Buffer.concat([header, bytes.subarray(header.length)]));
  expect(report.verdict).toBe('intact');
});

describe('cannot tell, for an archive that other programs may read differently:', () => {
  const second = (): SampleFile => ({ name: 'ledger.json', text: 'a forged ledger' });
  const cases: Record<string, () => Buffer> = {
    'a second ledger behind the first': () => buildTarGz([...files, second()]),
    'a second ledger before the first': () =>
      buildTarGz([...files.slice(0, 4), second(), files[4]!]),
    'a second manifest': () => buildTarGz([...files, fileOf('manifest.jws')]),
    'a second note': () => buildTarGz([...files.slice(0, 4), files[3]!, files[4]!]),
    'a path out of the folder': () => buildTarGz([...files, evil('../../evil')]),
    'an absolute path': () => buildTarGz([...files, evil('/etc/evil')]),
    'an unknown file in front': () => buildTarGz([evil('README'), ...files]),
    'an unknown file between': () =>
      buildTarGz([...files.slice(0, 2), evil('x'), ...files.slice(2)]),
    'an unknown file behind': () => buildTarGz([...files, evil('x')]),
    'a name with a dot before it': () =>
      buildTarGz(files.map((file) => ({ ...file, name: `./${file.name}` }))),
    'a name in capitals': () =>
      buildTarGz(files.map((file) => ({ ...file, name: file.name.toUpperCase() }))),
    'another order': () => buildTarGz(files.toReversed()),
    'the ledger before the note': () => buildTarGz(files.toSpliced(3, 2, files[4]!, files[3]!)),
    'no manifest to read': () => buildTarGz(files.slice(1)),
    'no signature': () => buildTarGz(files.toSpliced(1, 1)),
    'no keys': () => buildTarGz(files.toSpliced(2, 1)),
    'no note': () => buildTarGz(files.toSpliced(3, 1)),
    'no ledger': () => buildTarGz(files.slice(0, 4)),
    'no file': () => buildTarGz([]),
    'a name with a prefix': () => headed('ledger.json', { prefix: 'elsewhere' }),
    'a prefix behind a zero': () => headed('ledger.json', { prefix: '\0elsewhere' }),
    'bytes behind a name': () => headed('ledger.json', { afterName: 'x' }),
    'a wrong checksum': () => headed('ledger.json', { checksum: 1234 }),
    'a checksum of other characters': () => headed('ledger.json', { checksum: 'abcdef\0 ' }),
    'a symbolic link': () => headed('VERIFY.md', { type: '2', linkName: '/etc/passwd' }),
    'a hard link': () => headed('VERIFY.md', { type: '1', linkName: 'ledger.json' }),
    'a plain file with the name of a link': () => headed('VERIFY.md', { linkName: 'x' }),
    'a folder': () => headed('VERIFY.md', { type: '5' }),
    'a device': () => headed('VERIFY.md', { type: '3' }),
    'an old kind of file': () => headed('VERIFY.md', { type: '\0' }),
    'a continuous file': () => headed('VERIFY.md', { type: '7' }),
    'a header of extensions': () => headed('VERIFY.md', { type: 'x' }),
    'a long name of GNU': () => headed('VERIFY.md', { type: 'L' }),
    'a size that is not octal': () => headed('ledger.json', { size: '0x000000123' }),
    'a size in base 256': () => headed('ledger.json', { size: '\x80\0\0\0\0\0\0\0\0\0\x01\x00' }),
    'a negative size': () => headed('ledger.json', { size: '-0000000001\0' }),
    'a size beyond the end': () => headed('ledger.json', { size: 99_999_999 }),
    'a size that is too small': () => headed('ledger.json', { size: 10 }),
    'a header without its magic': () => headed('ledger.json', { magic: 'vstar\x0000' }),
    'no end': () => ended(Buffer.alloc(0)),
    'half an end': () => ended(Buffer.alloc(BLOCK)),
    'an end that is not whole': () => ended(Buffer.alloc(2 * BLOCK + 1)),
    'bytes behind the end': () => ended(Buffer.concat([END, Buffer.from('garbage')])),
    'another archive behind the end': () => ended(Buffer.concat([END, buildTar([second()])])),
    'a file behind one zero block': () =>
      ended(Buffer.concat([Buffer.alloc(BLOCK), buildTar([second()])])),
    'zeros without end': () => ended(Buffer.alloc(40 * BLOCK)),
    'bytes in the padding of a file': () => {
      const bytes = buildTar(files);
      const length = buildTarEntry(files[0]!).length;
      bytes[length - 1] = 1;
      return gzipSync(bytes);
    },
    'bytes behind the gzip file': () => Buffer.concat([buildTarGz(files), Buffer.from('garbage')]),
    'zeros behind the gzip file': () => Buffer.concat([buildTarGz(files), Buffer.alloc(100)]),
    'another gzip file behind': () => Buffer.concat([buildTarGz(files), buildTarGz([second()])]),
    'a gzip file with a wrong checksum': () => {
      const bytes = buildTarGz(files);
      bytes[bytes.length - 5]! ^= 1;
      return bytes;
    },
    'a gzip file that is cut': () => buildTarGz(files).subarray(0, -4),
    'a manifest to read that is too large': () =>
      buildTarGz(replaced('manifest.json', (text) => text + ' '.repeat(64 * 1024))),
    'a signature that is too large': () =>
      buildTarGz(replaced('manifest.jws', (text) => text + '\n'.repeat(64 * 1024))),
    'keys that are too large': () =>
      buildTarGz(replaced('keys.json', (text) => text + ' '.repeat(4 * 1024 * 1024))),
    'a note that is too large': () => buildTarGz(replaced('VERIFY.md', () => 'x'.repeat(70_000))),
  };
  test.each(Object.entries(cases))('%s', async (_name, make) => {
    const report = await verify(make());
    expect(report.verdict).toBe('cannot tell');
    expect(codesOf(report)).toContain('unreadable');
  });
});

test('an archive that unpacks to far more than a bundle uses little memory', async () => {
  const line = `{"id":"${'x'.repeat(17 * 1024 * 1024)}"`;
  const report = await verify(buildTarGz(replaced('ledger.json', (text) => text + line)));
  expect(report.verdict).toBe('cannot tell');
  expect(report.problems.map(({ message }) => message).join()).toContain('longer than');
});

describe('tampered, for any trusted key:', () => {
  const otherEntries = disclosed(createChain(4, 'other'), NAMES);
  const resigned = (change: object, names = entries): Promise<SampleFile[]> =>
    createFiles(names, { ...manifest, ...change }, key);
  const cases: Record<string, () => Promise<SampleFile[]> | SampleFile[]> = {
    'the signed manifest is of another organisation': () =>
      resigned({ organizationId: 'f'.repeat(24) }),
    'the signed manifest begins later': () => resigned({ firstSequence: 2 }),
    'the signed manifest ends earlier': () => resigned({ lastSequence: 3 }),
    'the signed manifest counts other entries': () => resigned({ entries: 3 }),
    'the signed manifest has another last entry': () => resigned({ lastChainHash: 'a'.repeat(64) }),
    'another ledger of the same length': () =>
      replaced('ledger.json', () => `${createBundleLines(otherEntries).join('\n')}\n`),
    'a part of the ledger': () =>
      replaced('ledger.json', () => `${createBundleLines(entries.slice(1)).join('\n')}\n`),
    'the manifest to read names another period': () =>
      replaced('manifest.json', (text) => text.replace('2026-01-01', '2025-01-01')),
    'the manifest to read promises less': () =>
      replaced('manifest.json', (text) => text.replace(/,\s*"outputDecision"/, '')),
    'the manifest to read is no JSON': () => replaced('manifest.json', () => 'see manifest.jws'),
    'the manifest to read has one member more': () =>
      replaced('manifest.json', (text) => text.replace('{', '{"approved": true,')),
    'the signature is another one': () =>
      replaced('manifest.jws', (text) => `${text.slice(0, -8)}AAAAAAAA`),
  };
  test.each(Object.entries(cases))('%s', async (_name, make) => {
    const changed = buildTarGz(await make());
    for (const keys of [[key.kid], [otherKey.kid], []]) {
      const report = await verify(changed, keys);
      expect(report.verdict).toBe('tampered');
      expect(report.vouchedUpTo).toBeNull();
    }
  });
});

test('cannot tell: a signed manifest with members that are missing, unknown or malformed', async () => {
  const { bundleId: _, ...shorter } = JSON.parse(toManifestText(manifest)) as JsonObject;
  const changes = [
    shorter,
    { ...shorter, bundleId: 'x', approved: true },
    { ...shorter, bundleId: 'x', disclosed: ['b', 'a'] },
    { ...shorter, bundleId: 'x', entries: 'four' },
    { ...shorter, bundleId: 'x', lastChainHash: 'short' },
    { ...shorter, bundleId: 'x', version: 2 },
    { ...shorter, bundleId: 'x', format: 'another' },
  ];
  for (const members of changes) {
    const jws = await signText(canonicalize(members), 'assay-audit-bundle+jws', key);
    const report = await verify(buildTarGz(replaced('manifest.jws', () => jws)));
    expect([report.verdict, report.signedBy]).toEqual(['cannot tell', null]);
  }
  const other = await signText(toManifestText(manifest), 'assay-erasure+jws', key);
  expect((await verify(buildTarGz(replaced('manifest.jws', () => other)))).verdict).toBe(
    'cannot tell',
  );
});

describe('values that the manifest promises', () => {
  const stripped = (sequence: number, names: readonly string[]): Sample[] =>
    entries.map((entry) => (entry.sequence === sequence ? disclosed([entry], names)[0]! : entry));

  test('cannot be left out', async () => {
    const all = await createFiles(chain, manifest, key);
    const report = await verify(buildTarGz(all));
    expect([report.verdict, ...codesOf(report)]).toEqual(['cannot tell', 'disclosure-missing']);
    const one = await verify(
      buildTarGz(await createFiles(stripped(3, ['inputContext']), manifest, key)),
    );
    expect(one.problems).toMatchObject([{ code: 'disclosure-missing', sequence: 3 }]);
    expect(one.problems[0]!.message).toContain('outputDecision');
  });

  test('may be missing when the signer states their erasure', async () => {
    const erased = await createFiles(stripped(3, ['inputContext']), manifest, key);
    const said = await createOmissionsFile(manifest, { 3: ['outputDecision'] }, key);
    expect((await verify(buildTarGz([...erased, said]))).verdict).toBe('intact');

    const cases: [string, SampleFile, string][] = [
      ['tampered', { ...said, text: `${said.text.slice(0, -8)}AAAAAAAA` }, 'signature-mismatch'],
      [
        'tampered',
        await createOmissionsFile(
          { ...manifest, bundleId: '7'.repeat(24) },
          { 3: ['outputDecision'] },
          key,
        ),
        'manifest-mismatch',
      ],
      [
        'cannot tell',
        await createOmissionsFile(manifest, { 2: ['outputDecision'] }, key),
        'disclosure-missing',
      ],
      [
        'cannot tell',
        await createOmissionsFile(manifest, { 3: ['inputContext'] }, key),
        'disclosure-missing',
      ],
      [
        'cannot tell',
        await createOmissionsFile(manifest, { 3: ['outputDecision'] }, otherKey),
        'unreadable',
      ],
    ];
    for (const [verdict, file, code] of cases) {
      const report = await verify(buildTarGz([...erased, file]));
      expect([report.verdict, codesOf(report).includes(code)]).toEqual([verdict, true]);
    }
  });

  test('count as missing when another key states their erasure', async () => {
    const erased = (await createFiles(stripped(3, ['inputContext']), manifest, key)).map((file) =>
      file.name === 'keys.json'
        ? { ...file, text: JSON.stringify({ keys: [key.jwk, otherKey.jwk] }) }
        : file,
    );
    const said = await createOmissionsFile(manifest, { 3: ['outputDecision'] }, otherKey);
    const bytes = buildTarGz([...erased, said]);
    const report = await verify(bytes);
    expect([report.verdict, ...codesOf(report)]).toEqual([
      'cannot tell',
      'key-mismatch',
      'disclosure-missing',
    ]);
    expect((await verify(bytes, [key.kid, otherKey.kid])).verdict).toBe('intact');
  });
});

test('a manifest signed with an untrusted key is never intact', async () => {
  const report = await verify(buildTarGz(files), [otherKey.kid]);
  expect(report).toMatchObject({ verdict: 'cannot tell', isTrusted: false, vouchedUpTo: null });
  expect(codesOf(report)).toContain('key-mismatch');
  expect(codesOf(await verify(buildTarGz(files), []))).toEqual(['not-vouched']);
});

test('an archive compressed differently is the same', async () => {
  const again = gzipSync(gunzipSync(buildTarGz(files)), { level: 1 });
  expect((await verify(again)).verdict).toBe('intact');
});

describe('a bundle that a tool has reformatted is reported as such', () => {
  const text = `${createBundleLines(entries).join('\n')}\n`;
  const cases: [string, string, string][] = [
    ['indented', JSON.stringify(JSON.parse(text), null, 2), 'formatted again'],
    [
      'indented behind a blank line',
      `\n${JSON.stringify(JSON.parse(text), null, 2)}`,
      'formatted again',
    ],
    ['on one line', JSON.stringify(JSON.parse(text)), 'formatted again'],
    ['with a byte order mark', `\uFEFF${text}`, 'byte order mark'],
    ['with other line ends', text.replaceAll('\n', '\r\n'), 'CRLF'],
  ];
  test.each(cases)('%s', async (_name, changed, message) => {
    const report = await verify(Buffer.from(changed));
    expect(report.verdict).toBe('cannot tell');
    expect(report.problems[0]!.message).toContain(message);
    expect(codesOf(report)).not.toContain('truncated');
  });
  test('in UTF-16', async () => {
    const { verdict, problems } = await verify(Buffer.from(text, 'utf16le'));
    expect(verdict).toBe('cannot tell');
    expect(problems[0]!.message).toContain('another encoding');
  });
});
