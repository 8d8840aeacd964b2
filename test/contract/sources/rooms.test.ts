// No folder has too many files, so that a newcomer finds a file by looking.
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { files } from './sources.ts';

const MOST_FILES = 15;

test('no folder of code holds more than fifteen files', () => {
  const counts = new Map<string, number>();
  for (const file of files.filter((path) => /^(src|test|bench|scripts|console)\//.test(path)))
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});
