// Changes the sources in small ways, one at a time, and reports the share of changes that a quick test notices.
// `npm run test:mutation -- [--area NAME]... [--count 26] [--seed 1] [--jobs 1]`, by hand: it takes an hour and more.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Area, AREAS } from './mutation/areas.ts';
import { EQUIVALENT } from './mutation/equivalent.ts';
import { findMutations, type Mutation } from './mutation/mutations.ts';
import { WorkingCopy } from './mutation/working-copy.ts';

interface Mutant extends Mutation {
  file: string;
  /** The text that is replaced. */
  original: string;
}

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    count: { type: 'string', default: '26' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
  },
});

function listFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).map((file) => join(path, file));
}

function listMutants({ sources }: Area): Mutant[] {
  return sources.flatMap(listFiles).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const mutants = findMutations(file, text).map((mutation) => ({
      ...mutation,
      file,
      original: text.slice(mutation.start, mutation.end),
    }));
    return mutants.filter((mutant) => !isEquivalent(mutant));
  });
}

function isEquivalent({ file, original, replacement }: Mutant): boolean {
  return EQUIVALENT.some(
    (known) =>
      known.file === file && known.original === original && known.replacement === replacement,
  );
}

/** Some of them, the same for the same seed (mulberry32). */
function sample<T>(items: readonly T[], count: number, seed: number): T[] {
  let state = seed;
  const drawRandom = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const rolled = items.map((item) => ({ item, key: drawRandom() }));
  return rolled
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ item }) => item);
}

const truncateSnippet = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 100);
const printLine = (text: string): void => void process.stdout.write(`${text}\n`);

/** Resolves with the number of mutants that were killed. */
async function tryMutants(
  copies: readonly WorkingCopy[],
  mutants: readonly Mutant[],
  { tests }: Area,
): Promise<number> {
  const waiting = [...mutants];
  let killed = 0;
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const { file, line, original, replacement } = mutant;
        if (await copy.isKilled(file, mutant, tests)) killed += 1;
        else
          printLine(
            `  survives: ${file}:${line} ${truncateSnippet(original)} -> ${truncateSnippet(replacement)}`,
          );
      }
    }),
  );
  return killed;
}

const copies = Array.from({ length: Number(values.jobs) }, () => new WorkingCopy());
try {
  for (const area of AREAS) {
    if (values.area && !values.area.includes(area.name)) continue;
    if (!(await copies[0]?.isPassing(area.tests))) {
      printLine(`${area.name}: the tests fail without any change, or take too long`);
      for (const line of copies[0]?.failed ?? []) printLine(line);
      continue;
    }
    const mutants = sample(listMutants(area), Number(values.count), Number(values.seed));
    const killed = await tryMutants(copies, mutants, area);
    const share = Math.round((100 * killed) / mutants.length);
    printLine(`${area.name}: ${killed} of ${mutants.length} killed, ${share} %`);
  }
} finally {
  for (const copy of copies) copy.remove();
}
