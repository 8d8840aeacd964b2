// Audit bundles for tests, built from a sample chain byte by byte, so that each byte can be altered.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { canonicalize, type Json } from '@assay/json';
import {
  toManifestText,
  type BundleManifest,
} from '../../../../src/domain/audit-bundle/manifest.ts';
import { signText, type JwsSigner } from '../../../../src/domain/provenance/jws.ts';
import { createBundleLines, ORGANIZATION, type Sample } from './sample-chain.ts';

export interface TestKey extends JwsSigner {
  jwk: object;
}

export function createKey(): TestKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey as unknown as KeyObject);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return {
    kid: createHash('sha256').update(spki).digest('hex'),
    jwk: publicKey.export({ format: 'jwk' }),
    sign: (bytes) =>
      Promise.resolve(sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })),
  };
}

export interface SampleFile {
  name: string;
  text: string;
}

/** The bundle of these entries. */
export function describeEntries(
  entries: readonly Sample[],
  disclosed: readonly string[] = [],
): BundleManifest {
  const [first, last] = [entries[0]!, entries.at(-1)!];
  return {
    bundleId: '6'.repeat(24),
    organizationId: ORGANIZATION,
    createdAt: '2026-05-01T00:00:00.000Z',
    from: '2026-01-01T00:00:00.000Z',
    to: '2027-01-01T00:00:00.000Z',
    firstSequence: first.sequence,
    lastSequence: last.sequence,
    lastChainHash: last.chainHash,
    entries: entries.length,
    disclosed,
  };
}

/** The files of an archive, by name. */
export async function createFiles(
  entries: readonly Sample[],
  manifest: BundleManifest,
  key: TestKey,
): Promise<SampleFile[]> {
  const text = toManifestText(manifest);
  return [
    { name: 'manifest.json', text: `${JSON.stringify(JSON.parse(text), null, 2)}\n` },
    { name: 'manifest.jws', text: await signText(text, 'assay-audit-bundle+jws', key) },
    { name: 'keys.json', text: `${JSON.stringify({ keys: [key.jwk] }, null, 2)}\n` },
    { name: 'VERIFY.md', text: '# How to check this audit bundle\n' },
    { name: 'ledger.json', text: `${createBundleLines(entries).join('\n')}\n` },
  ];
}

/** `names`: the values stated as erased, by their entry. */
export async function createOmissionsFile(
  { bundleId }: BundleManifest,
  names: Readonly<Record<number, readonly string[]>>,
  key: JwsSigner,
): Promise<SampleFile> {
  const omitted = Object.entries(names).map(([sequence, list]) => ({
    sequence: Number(sequence),
    names: list,
  }));
  const text = canonicalize({
    format: 'assay-audit-bundle-omissions',
    version: 1,
    bundleId,
    omitted,
  } as unknown as Json);
  return {
    name: 'omissions.jws',
    text: await signText(text, 'assay-audit-bundle-omissions+jws', key),
  };
}

export const BLOCK = 512;
export const END = Buffer.alloc(2 * BLOCK);

/** The members of a header that a test alters. */
export interface HeaderChange {
  size?: number | string;
  type?: string;
  prefix?: string;
  linkName?: string;
  magic?: string;
  checksum?: number | string;
  /** Written behind the end of the name. */
  afterName?: string;
}

export function buildTarEntry({ name, text }: SampleFile, change: HeaderChange = {}): Buffer {
  const body = Buffer.from(text);
  const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  return Buffer.concat([buildTarHeader(name, body.length, change), body, padding]);
}

function buildTarHeader(name: string, length: number, change: HeaderChange): Buffer {
  const header = Buffer.alloc(BLOCK);
  const { size = length, type = '0', magic = 'ustar\x0000', prefix = '', linkName = '' } = change;
  header.write(name, 0, 'latin1');
  if (change.afterName !== undefined) header.write(change.afterName, name.length + 1, 'latin1');
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(typeof size === 'string' ? size : `${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('15020000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(linkName, 157);
  header.write(magic, 257);
  header.write(prefix, 345);
  const { checksum = header.reduce((sum, byte) => sum + byte, 0) } = change;
  header.write(
    typeof checksum === 'string' ? checksum : `${checksum.toString(8).padStart(6, '0')}\0 `,
    148,
  );
  return header;
}

/** A tar archive, not compressed. */
export function buildTar(files: readonly SampleFile[], end: Buffer = END): Buffer {
  return Buffer.concat([...files.map((file) => buildTarEntry(file)), end]);
}

export function buildTarGz(files: readonly SampleFile[]): Buffer {
  return gzipSync(buildTar(files));
}
