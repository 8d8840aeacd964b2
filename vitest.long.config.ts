// What takes long: tests and files that are tagged `long`, and those that are `varied`, in their long form: thousands of random cases
// and whole tables where `npm test` tries some. `npm run test:long`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { TestUserConfig } from 'vitest/node';
import { createBuiltSources } from './test/setup/run/built-sources.ts';
import { test as quick } from './vitest.config.ts';

const TAGGED = /^\/\/ @module-tag (long|varied)$|\btags: \['(long|varied)'\]/m;

const takesLong = (file: string): boolean =>
  file.endsWith('.test.ts') && TAGGED.test(readFileSync(file, 'utf8'));

/** The folders of tests of packages. */
const listPackageTests = (): string[] =>
  readdirSync('packages')
    .map((name) => join('packages', name, 'test'))
    .filter((folder) => existsSync(folder));

const test: TestUserConfig = {
  ...quick,
  include: ['test', ...listPackageTests()]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter(takesLong),
  exclude: [],
  // Some start instances as the fault tests do.
  globalSetup: ['test/setup/run/mongod.ts', 'test/setup/run/fault-programs.ts'],
  tagsFilter: ['long || varied'],
  // Each waits for the database, for processes and for clocks about half of its time.
  maxWorkers: 4,
  // Thousands of cases take as long as the machine needs.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  env: { ASSAY_TEST_LONG: '1' },
};

export default defineConfig({ plugins: [createBuiltSources()], test });
