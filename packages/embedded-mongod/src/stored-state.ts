// Reads and writes the state of the embedded database: its port, and the format of its data.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface StoredState {
  port: number;
  /** featureCompatibilityVersion of the data, like `6.0`; absent until the first start has completed. */
  format?: string;
  /** The port in the replica set's configuration may be another one. */
  moved?: boolean;
}

/** Undefined when no database has been started on the folder yet. */
export async function readState(dataDir: string): Promise<StoredState | undefined> {
  const text = await readFile(join(dataDir, 'mongod.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as StoredState);
}

export async function writeState(dataDir: string, state: StoredState): Promise<void> {
  const file = join(dataDir, 'mongod.json');
  await writeFile(`${file}.new`, `${JSON.stringify(state)}\n`);
  await rename(`${file}.new`, file);
}
