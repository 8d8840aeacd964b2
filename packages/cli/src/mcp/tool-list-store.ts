// Keeps what a server listed, from one run of the proxy to the next, in a file that its owner alone may read.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject, type Json } from '../../../sdk-typescript/src/json.ts';
import type { ToolDigests } from './tool-list-watch.ts';

export class ToolListStore {
  readonly #path: string;

  /** `scope` distinguishes services, agents and servers. */
  constructor(scope: readonly string[], folder: string) {
    const name = createHash('sha256').update(JSON.stringify(scope)).digest('hex');
    this.#path = join(folder, `${name}.json`);
  }

  /** Returns null when nothing was seen yet. */
  async read(): Promise<ToolDigests | null> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    try {
      const value = JSON.parse(text) as Json;
      return isObject(value) ? (value as Record<string, string>) : null;
    } catch {
      return null;
    }
  }

  async write(digests: ToolDigests): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const made = `${this.#path}.${randomUUID()}`;
    await writeFile(made, JSON.stringify(digests), { mode: 0o600 });
    await rename(made, this.#path);
  }
}
