// A copy of the sources in which a mutant can be tried without touching the checkout.
import { execFileSync } from 'node:child_process';
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
import type { Area } from './areas.ts';
import type { Mutation } from './mutations.ts';
import { TestRuns } from './test-runs.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export class WorkingCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'assay-mutation-'));
  readonly #runs = new TestRuns(this.#folder, 'database');
  readonly #pureRuns = new TestRuns(this.#folder, 'nothing');

  constructor() {
    const listed = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' });
    for (const file of listed.trim().split('\n')) {
      mkdirSync(dirname(join(this.#folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(this.#folder, file));
    }
    for (const shared of ['node_modules', 'data'])
      symlinkSync(join(ROOT, shared), join(this.#folder, shared));
  }

  /** Resolves with the names of the tests that fail while the file is mutated. */
  async tryMutation(area: Area, file: string, mutation: Mutation): Promise<string[]> {
    const path = join(this.#folder, file);
    const text = readFileSync(path, 'utf8');
    const { start, end, replacement } = mutation;
    writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
    try {
      return await this.listFailures(area, file);
    } finally {
      writeFileSync(path, text);
    }
  }

  /** Resolves with the names of the tests that fail; tests that do not end have failed. */
  async listFailures({ pure, tests }: Area, mutated?: string): Promise<string[]> {
    const { failed } = await (pure ? this.#pureRuns : this.#runs).runTests(tests, mutated);
    return failed;
  }

  async remove(): Promise<void> {
    await this.#pureRuns.stopHost();
    await this.#runs.stopHost();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
