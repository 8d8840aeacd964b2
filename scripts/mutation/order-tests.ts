// Orders test files: first those whose paths share the most words with the file that was changed.
import { relative } from 'node:path';
import type { TestSpecification } from 'vitest/node';

/** Words of paths that say nothing of what is tested. */
const COMMON = new Set(
  'src resource domain test api ts service route schema model view platform'.split(' '),
);

/** The words of a path below the current folder, without their plurals. */
function listWords(path: string): Set<string> {
  const words = relative('.', path)
    .split(/\W+/)
    .map((word) => word.replace(/s$/, ''));
  return new Set(words.filter((word) => !COMMON.has(word)));
}

/** Returns the paths of the files, the nearest first; without a changed file in the order that was given. */
export function orderTests(files: readonly TestSpecification[], changed = ''): string[] {
  const words = listWords(changed);
  const countShared = (path: string) =>
    [...listWords(path)].filter((word) => words.has(word)).length;
  return files
    .map(({ moduleId }) => ({ moduleId, shared: countShared(moduleId) }))
    .toSorted((a, b) => b.shared - a.shared)
    .map(({ moduleId }) => moduleId);
}
