// Checks whether another instance uses a data folder, before mongod is searched for and possibly downloaded.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readState } from './stored-state.ts';

const LOOK_MS = 100;

/**
 * Waits until no mongod runs on the folder: after a `kill -9` of its app it ends within seconds.
 * @throws Error with a readable message when one still runs after `exitTimeoutMs`
 */
export async function requireFolderNotInUse(dataDir: string, exitTimeoutMs = 5000): Promise<void> {
  const until = performance.now() + exitTimeoutMs;
  for (;;) {
    const state = await readState(dataDir);
    if (!state || !(await isMongodRunning(dataDir))) return;
    if (performance.now() > until) throw createFolderInUseError(dataDir, state.port);
    await sleep(LOOK_MS);
  }
}

export function createFolderInUseError(dataDir: string, port: number): Error {
  return new Error(
    `The data folder ${dataDir} is in use by another instance (its database listens on port ${port}). ` +
      'Stop it, or set ASSAY_DATA_DIR to another folder. ' +
      'Instances share a database only where you start one yourself and give each its MONGODB_URI.',
  );
}

/** Reads the process id in MongoDB's lock file. Only Linux shows its program; elsewhere mongod itself refuses. */
async function isMongodRunning(dataDir: string): Promise<boolean> {
  try {
    const pid = Number.parseInt(await readFile(join(dataDir, 'db', 'mongod.lock'), 'utf8'), 10);
    return (
      Number.isInteger(pid) && (await readFile(`/proc/${pid}/comm`, 'utf8')).startsWith('mongod')
    );
  } catch {
    return false;
  }
}
