// No folder has too many files, so that a newcomer finds a file by looking; what builds all services is flat.
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { files, listModules, ofEngines, sources, toRoom, visitAll } from './sources.ts';

const MOST_FILES = 15;
const MOST_OF_COMPOSITION = 13;
/** Tables by kind or topic that are joined, options that may be absent, and settings that several clients share. */
const MOST_SPREADS = 12;

test('no folder of code holds more than fifteen files', () => {
  const counts = new Map<string, number>();
  for (const file of [
    ...files.filter((path) => /^(src|test|bench|scripts|console)\//.test(path)),
    ...ofEngines,
  ])
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});

test('the composition is one folder of few files, and names what each service gets', () => {
  const composition = sources.filter((file) => file.startsWith('src/composition/'));
  expect(composition.filter((file) => dirname(file) !== 'src/composition')).toEqual([]);
  expect(composition.length).toBeLessThanOrEqual(MOST_OF_COMPOSITION);
  const spreads: string[] = [];
  for (const file of composition.filter((path) => path !== 'src/composition/jobs.ts'))
    visitAll(file, (node) => {
      if (ts.isSpreadAssignment(node)) spreads.push(`${file}: ${node.expression.getText()}`);
    });
  expect(spreads.length, spreads.join('\n')).toBeLessThanOrEqual(MOST_SPREADS);
  expect(spreads.filter((spread) => /: (platform|deps|readers|listeners)$/.test(spread))).toEqual(
    [],
  );
});

/** What each part of the house imports from others, for types too; `toPart` names the part of a file. */
function listArrows(toPart: (file: string) => string | undefined): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const file of sources) {
    const from = toPart(file);
    if (from === undefined) continue;
    for (const { name } of listModules(file)) {
      const to = toPart(join(dirname(file), name));
      if (to !== undefined && to !== from)
        arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  }
  return arrows;
}

const toWing = (file: string): string | undefined => toRoom(file)?.split('/')[0];

test.each([
  ['rooms', toRoom, 20],
  ['wings', toWing, 4],
] as const)('%s import each other in no circle, for types neither', (_, toPart, least) => {
  const arrows = listArrows(toPart);
  expect(arrows.size).toBeGreaterThan(least);
  // One that needs no other goes, again and again; what is left stands in a circle, or needs one.
  for (let before = -1; before !== arrows.size;) {
    before = arrows.size;
    for (const [from, needed] of arrows)
      if ([...needed].every((to) => !arrows.has(to))) arrows.delete(from);
  }
  const left = [...arrows].map(([from, to]) => `${from} -> ${[...to].join(', ')}`);
  expect(left).toEqual([]);
});
