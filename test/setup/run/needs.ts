// What a run needs: a database and compiled programs are made only where some file of the run asks for them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

const SOURCES = resolve(import.meta.dirname, '../../../src');

/** Whether a test of the run, or what it imports beside the sources, injects one of these. */
export function isNeeded({ vitest }: TestProject, names: readonly string[]): boolean {
  // Where files are watched, others may follow.
  if (vitest.config.watch) return true;
  const seen = new Set<string>();
  const asks = (file: string): boolean => {
    if (seen.has(file)) return false;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    return (
      names.some((name) => text.includes(`inject('${name}')`)) ||
      listImported(file, text).some(asks)
    );
  };
  return vitest.state.getPaths().some(asks);
}

/** The files beside the sources that a file imports; what is no file is named in a text of the test. */
function listImported(file: string, text: string): string[] {
  const names = [...text.matchAll(/\b(?:from|import) ?\(?'(\.[^']+\.ts)'/g)];
  return names
    .map(([, name = '']) => resolve(dirname(file), name))
    .filter((path) => !path.startsWith(`${SOURCES}/`) && existsSync(path));
}
