// Layers of an image: archives of folders that are the same bytes each time, kept by their digests.
import { spawn } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A stored layer; `diffId` is the digest of its archive before it is compressed. */
export interface Layer {
  mediaType: string;
  digest: string;
  size: number;
  diffId: string;
}

/** Modes that no mask of a checkout decides about. */
export const PLAIN = 'u=rwX,go=rX';

/** A folder, or what stands below a path in it. */
interface Content {
  folder: string;
  path?: string;
  /** Default: root. */
  owner?: number;
  /** Default: those of the files. */
  modes?: string;
  /** Stands before each name. */
  prefix?: string;
}

/** Entries in order; times, owners and hard links are none of this machine. */
const listOptions = ({ owner = 0, modes, prefix }: Content): string[] => [
  '--create',
  '--format=gnu',
  '--sort=name',
  `--mtime=@${process.env.SOURCE_DATE_EPOCH}`,
  `--owner=:${owner}`,
  `--group=:${owner}`,
  '--numeric-owner',
  '--hard-dereference',
  ...(modes === undefined ? [] : [`--mode=${modes}`]),
  ...(prefix === undefined ? [] : [`--transform=s,^\\.,${prefix},`]),
];

/** Packs with GNU tar. @throws Error when it fails */
export async function* readArchive(content: Content): AsyncGenerator<Buffer> {
  const { folder, path = '.' } = content;
  const options = [...listOptions(content), '--directory', folder, path];
  const child = spawn('tar', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  yield* child.stdout as AsyncIterable<Buffer>;
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`tar of ${folder} ended with ${code}`);
}

/** SHA-256 of a file in hexadecimal; it is read in pieces. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function* digestWith(hash: Hash, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Stores a layer into the folder `blobs`, under its digest. */
export async function storeLayer(blobs: string, content: Content): Promise<Layer> {
  const [plain, stored] = [createHash('sha256'), createHash('sha256')];
  const file = join(blobs, `.${process.hrtime.bigint()}`);
  await pipeline(
    digestWith(plain, readArchive(content)),
    createGzip(),
    (chunks: AsyncIterable<Buffer>) => digestWith(stored, chunks),
    createWriteStream(file),
  );
  const hex = stored.digest('hex');
  await rename(file, join(blobs, hex));
  return {
    mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
    digest: `sha256:${hex}`,
    size: (await stat(join(blobs, hex))).size,
    diffId: `sha256:${plain.digest('hex')}`,
  };
}
