// No folder has too many files, so that a newcomer finds a file by looking; what builds all services is flat.
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { files, listModules, sources, visitAll } from './sources.ts';

const MOST_FILES = 15;
const MOST_OF_COMPOSITION = 12;
/** Tables by kind or topic that are joined, options that may be absent, and settings that several clients share. */
const MOST_SPREADS = 12;

test('no folder of code holds more than fifteen files', () => {
  const counts = new Map<string, number>();
  for (const file of files.filter((path) => /^(src|test|bench|scripts|console)\//.test(path)))
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});

test('the composition has a dozen files in one folder, and names what each service gets', () => {
  const composition = sources.filter((file) => file.startsWith('src/composition/'));
  expect(composition.filter((file) => dirname(file) !== 'src/composition')).toEqual([]);
  expect(composition.length).toBeLessThanOrEqual(MOST_OF_COMPOSITION);
  const spreads: string[] = [];
  for (const file of composition)
    visitAll(file, (node) => {
      if (ts.isSpreadAssignment(node)) spreads.push(`${file}: ${node.expression.getText()}`);
    });
  expect(spreads.length, spreads.join('\n')).toBeLessThanOrEqual(MOST_SPREADS);
  expect(spreads.filter((spread) => /: (platform|deps|readers|listeners)$/.test(spread))).toEqual(
    [],
  );
});

const RESOURCE = /^src\/resources\/([^/]+)\//;

/** The folders of resources that each one imports from, for types too. */
function listArrows(): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const file of sources) {
    const from = RESOURCE.exec(file)?.[1];
    if (from === undefined) continue;
    for (const { name } of listModules(file)) {
      const to = RESOURCE.exec(join(dirname(file), name))?.[1];
      if (to !== undefined && to !== from)
        arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  }
  return arrows;
}

test('folders of resources import each other in no circle, for types neither', () => {
  const arrows = listArrows();
  expect(arrows.size).toBeGreaterThan(20);
  // A folder that needs no other goes, again and again; what is left stands in a circle, or needs one.
  for (let before = -1; before !== arrows.size;) {
    before = arrows.size;
    for (const [from, needed] of arrows)
      if ([...needed].every((to) => !arrows.has(to))) arrows.delete(from);
  }
  const left = [...arrows].map(([from, to]) => `${from} -> ${[...to].join(', ')}`);
  expect(left).toEqual([]);
});
