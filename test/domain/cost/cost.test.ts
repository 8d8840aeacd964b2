// What a decision costs grows with its size and no faster: twice the input takes at most two and a half times the steps.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runs } from '../../setup/runs.ts';

interface Counted {
  name: string;
  steps: [once: number, twice: number];
}

function counted(): Counted[] {
  const script = fileURLToPath(new URL('./count.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Counted[];
}

/** What every call costs, whatever its input. */
const SETUP = 200;

test(
  'doubling an input costs at most two and a half times as much',
  () => {
    const all = counted();
    expect(all.length).toBeGreaterThan(100);
    const steep = all
      .map(({ name, steps: [once, twice] }) => ({ name, once, twice, growth: twice / once }))
      .filter(({ once, twice }) => twice > 2.5 * once + SETUP);
    expect(steep).toEqual([]);
  },
  runs(60_000, 300_000),
);
