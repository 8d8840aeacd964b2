// Changes the sources in small ways, one at a time, and reports the share of changes that a quick test notices.
// `npm run test:mutation -- [--area NAME]... [--count 26] [--seed 1] [--file TEXT] [--jobs 1] [--verbose]`, by hand.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Area, AREAS } from './mutation/areas.ts';
import { EQUIVALENT } from './mutation/equivalent.ts';
import { findMutations, type Mutation } from './mutation/mutations.ts';
import { ENDLESS } from './mutation/test-runs.ts';
import { WorkingCopy } from './mutation/working-copy.ts';

interface Mutant extends Mutation {
  file: string;
  /** The text that is replaced. */
  original: string;
  /** The line on which it begins, without its indent. */
  text: string;
}

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    count: { type: 'string', default: '26' },
    seed: { type: 'string', default: '1' },
    /** Tries those of the sample alone whose file's name contains this. */
    file: { type: 'string', default: '' },
    jobs: { type: 'string', default: '1' },
    /** Also names those that are killed, and by which test. */
    verbose: { type: 'boolean', default: false },
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
    const lines = text.split('\n');
    const mutants = findMutations(file, text).map((mutation) => ({
      ...mutation,
      file,
      original: text.slice(mutation.start, mutation.end),
      text: lines[mutation.line - 1]?.trim() ?? '',
    }));
    return mutants.filter((mutant) => !isEquivalent(mutant));
  });
}

function isEquivalent({ file, text, original, replacement }: Mutant): boolean {
  return EQUIVALENT.some(
    (known) =>
      known.file === file &&
      known.line === text &&
      known.original === original &&
      known.replacement === replacement,
  );
}

/** Some of them, the same for the same seed: each mutant's place depends on itself alone. */
function sample(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const seen = new Map<string, number>();
  const rolled = mutants.map((mutant) => {
    const text = [seed, mutant.file, mutant.original, mutant.replacement].join('\n');
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return { mutant, key: createHash('sha256').update(`${text}\n${times}`).digest('hex') };
  });
  return rolled
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

const truncateSnippet = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 100);
const printLine = (text: string): void => void process.stdout.write(`${text}\n`);

const describeMutant = ({ file, line, original, replacement }: Mutant): string =>
  `${file}:${line} ${truncateSnippet(original)} -> ${truncateSnippet(replacement)}`;

/** Resolves with what failed for each of the mutants that were killed. */
async function tryMutants(
  copies: readonly WorkingCopy[],
  mutants: readonly Mutant[],
  area: Area,
): Promise<string[]> {
  const waiting = [...mutants];
  const killed: string[] = [];
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const started = performance.now();
        const [failed] = await copy.tryMutation(area, mutant.file, mutant);
        const seconds = Math.round((performance.now() - started) / 1000);
        if (failed === undefined) printLine(`  survives: ${describeMutant(mutant)}`);
        else killed.push(failed);
        if (values.verbose) printLine(`    ${seconds} s: ${describeMutant(mutant)}: ${failed}`);
      }
    }),
  );
  return killed;
}

const copies = Array.from({ length: Number(values.jobs) }, () => new WorkingCopy());
try {
  for (const area of AREAS) {
    if (values.area && !values.area.includes(area.name)) continue;
    const failures = (await copies[0]?.listFailures(area)) ?? [];
    if (failures.length > 0) {
      printLine(`${area.name}: the tests fail without any change, or take too long`);
      for (const failure of failures) printLine(`  ${failure}`);
      continue;
    }
    const sampled = sample(listMutants(area), Number(values.count), values.seed);
    const mutants = sampled.filter(({ file }) => file.includes(values.file));
    const started = performance.now();
    const killed = await tryMutants(copies, mutants, area);
    const seconds = Math.round((performance.now() - started) / 1000);
    const share = Math.round((100 * killed.length) / mutants.length);
    const count = `${killed.length} of ${mutants.length}`;
    const endless = killed.filter((failed) => failed === ENDLESS).length;
    printLine(
      `${area.name}: ${count} killed, ${share} %; ${endless} of them never ended (${seconds} s)`,
    );
  }
} finally {
  for (const copy of copies) await copy.remove();
}
