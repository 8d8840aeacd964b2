// Files of hooks: named by a digest, and gone when they are old.
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A name that says nothing of the text that it stands for. */
export const toFileName = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Removes the files of a folder that are older than this; `choose`: which of them are looked at. */
export async function removeOld(
  folder: string,
  ageMs: number,
  choose: (names: string[]) => string[] = (names) => names,
): Promise<void> {
  const oldest = Date.now() - ageMs;
  for (const name of choose(await readdir(folder))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < oldest) await rm(path, { force: true });
  }
}
