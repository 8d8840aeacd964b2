// Extracts one file from a zip archive in memory.
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/**
 * The content of the first entry whose name ends with `suffix`.
 * @throws Error when there is no such entry, or the bytes are no archive
 */
export async function extractEntry(zip: Buffer, suffix: string): Promise<Buffer> {
  const archive = await fromBufferPromise(zip, { lazyEntries: true }).catch((error: unknown) => {
    throw new Error('not a zip archive', { cause: error });
  });
  for await (const entry of archive.eachEntry())
    if (entry.fileName.endsWith(suffix)) return buffer(await archive.openReadStreamPromise(entry));
  throw new Error(`no ${suffix} in the archive`);
}
