// Runs a program for a release, and ends the release when it fails.
import { execFileSync } from 'node:child_process';
import { ROOT } from './owner.ts';

/** Returns what it prints. @throws Error with what it said when it fails */
export function run(
  program: string,
  args: readonly string[],
  { cwd = ROOT, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): string {
  return execFileSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Packs a folder for npm into another: entries in order, with fixed times and owners. Returns the name of the file. */
export function packForNpm(folder: string, outdir: string): string {
  return run('npm', ['pack', '--silent', '--pack-destination', outdir], { cwd: folder }).trim();
}
