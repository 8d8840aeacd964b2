// A copy of the sources in which a mutant can be tried without touching the checkout.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Mutation } from './mutations.ts';

/** Timeout of a test run: some mutants never end. */
const TIMEOUT_MS = 240_000;
const ROOT = resolve(import.meta.dirname, '../..');

export class WorkingCopy {
  /** The failed tests of the last run, as the runner names them. */
  failed: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'assay-mutation-'));

  constructor() {
    const listed = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' });
    for (const file of listed.trim().split('\n')) {
      mkdirSync(dirname(join(this.#folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(this.#folder, file));
    }
    for (const shared of ['node_modules', 'data'])
      symlinkSync(join(ROOT, shared), join(this.#folder, shared));
  }

  /** Whether the tests fail while the file is mutated; one that does not end counts as failed. */
  async isKilled(file: string, mutation: Mutation, tests: readonly string[]): Promise<boolean> {
    const path = join(this.#folder, file);
    const text = readFileSync(path, 'utf8');
    const { start, end, replacement } = mutation;
    writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
    try {
      return !(await this.isPassing(tests));
    } finally {
      writeFileSync(path, text);
    }
  }

  async isPassing([nearest, ...others]: readonly string[]): Promise<boolean> {
    if (nearest !== undefined && !(await this.#run([nearest]))) return false;
    return others.length === 0 || this.#run(others);
  }

  #run(tests: readonly string[]): Promise<boolean> {
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--bail',
      '1',
      '--maxWorkers',
      '1',
      ...tests,
    ];
    const child = spawn(process.execPath, args, {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return new Promise((done) => {
      // The whole process group ends.
      const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), TIMEOUT_MS);
      child.once('close', (code) => {
        clearTimeout(timer);
        this.failed = stripVTControlCharacters(output)
          .split('\n')
          .filter((line) => line.includes(' FAIL '));
        done(code === 0);
      });
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
