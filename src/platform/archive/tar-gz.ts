// Files as one tar.gz archive.
import type { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

export interface ArchivedFile {
  name: string;
  content: Buffer;
}

export type TarGz = typeof tarGz;

export function tarGz(files: readonly ArchivedFile[], mtime: Date): Readable {
  const tar = pack();
  for (const { name, content } of files) tar.entry({ name, mtime }, content);
  tar.finalize();
  return tar.pipe(createGzip());
}
