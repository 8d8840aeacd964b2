// What the built console sends before a page shows something: scripts and styles, compressed as browsers get them.
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

const BUILT = resolve('dist/console');
/** Bytes in gzip; charts and the editor of rules come after them. */
export const MOST_BYTES = 250 * 1024;
export const MOST_FILES = 20;

interface Chunk {
  file: string;
  css?: string[];
  /** Names of further chunks that it cannot begin without. */
  imports?: string[];
}

export const measureFiles = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + statSync(resolve(BUILT, `${file}.gz`)).size, 0);

/** Every page of its own with what it loads first, from the manifest of the build. */
export function listFirstLoads(): { page: string; size: number; files: number }[] {
  const text = readFileSync(resolve(BUILT, '.vite/manifest.json'), 'utf8');
  const chunks = JSON.parse(text) as Record<string, Chunk>;
  function addChunk(name: string, files: Set<string>): Set<string> {
    const chunk = chunks[name];
    if (!chunk || files.has(chunk.file)) return files;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const further of chunk.imports ?? []) addChunk(further, files);
    return files;
  }
  return Object.keys(chunks)
    .filter((name) => name.endsWith('-page.tsx'))
    .map((page) => {
      const files = addChunk(page, addChunk('index.html', new Set()));
      return { page, size: measureFiles(files), files: files.size };
    });
}
