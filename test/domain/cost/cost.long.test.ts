// The cost of a decision is linear in its size: twice the input takes at most two and a half times the steps.
// @module-tag long
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chooseRuns } from '../../setup/runs.ts';

interface Counted {
  name: string;
  steps: [once: number, twice: number];
}

interface Counts {
  growing: Counted[];
  most: [name: string, steps: number][];
}

function counted(): Counts {
  const script = fileURLToPath(new URL('./count.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Counts;
}

/** The fixed cost of a call for any input. */
const SETUP = 200;

/** Blocks of code, which take some nanoseconds each. */
const MOST = 10_000_000;

test(
  'doubling an input costs at most two and a half times as much, and what is too much is not done',
  () => {
    const { growing, most } = counted();
    expect(growing.length).toBeGreaterThan(100);
    const steep = growing
      .map(({ name, steps: [once, twice] }) => ({ name, once, twice, growth: twice / once }))
      .filter(({ once, twice }) => twice > 2.5 * once + SETUP);
    expect(steep).toEqual([]);
    expect(most.filter(([, steps]) => steps > MOST)).toEqual([]);
  },
  chooseRuns(60_000, 300_000),
);
