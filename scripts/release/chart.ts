// The chart for Kubernetes, packed as `helm package` does, and the same bytes each time.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { join } from 'node:path';
import { PLAIN, readArchive } from './image/layers.ts';
import { ROOT } from './owner.ts';

export async function packChart(file: string): Promise<void> {
  const content = { folder: join(ROOT, 'charts'), path: 'assay', modes: PLAIN };
  await pipeline(readArchive(content), createGzip(), createWriteStream(file));
}
