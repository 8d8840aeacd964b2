// A change of a file that `assay init` proposes: shown first, and written only when a person agrees.
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';

export interface Change {
  file: string;
  /** What is done to the file, for people. */
  what: string;
  before: string | null;
  after: string;
  /** Whether only its owner may read the file. */
  isSecret?: boolean;
}

/** What is done, and what a person has to do. */
export interface Plan {
  changes: Change[];
  notes: string[];
}

/** Returns null for a file that is not there. */
export async function readFileOrNull(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** Returns the object of a file of JSON; null: the file is there, and is no object of JSON. */
export function parseObject(text: string | null): JsonObject | null {
  if (text === null || text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const renderObject = (value: JsonObject): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes a change, unless the file was changed after it was looked at. */
export async function writeChange({ file, before, after, isSecret }: Change): Promise<boolean> {
  if ((await readFileOrNull(file)) !== before) return false;
  await mkdir(dirname(file), { recursive: true });
  const mode = isSecret ? 0o600 : ((await stat(file).catch(() => null))?.mode ?? 0o644) & 0o777;
  await writeFile(`${file}.new`, after, { mode });
  await rename(`${file}.new`, file);
  return true;
}
