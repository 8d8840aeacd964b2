// One real mongod for the whole run, if it needs one (test/setup/run/mongod.ts); files share the module cache, each has a database of its own.
import { defineConfig } from 'vitest/config';
import type { TestUserConfig } from 'vitest/node';
import { createBuiltSources } from './test/setup/run/built-sources.ts';
import { SummaryReporter } from './test/setup/run/summary-reporter.ts';

export const test: TestUserConfig = {
  include: [
    'test/{api,cli,domain,contract,ledger,platform,embedded-db,sdk,workers}/**/*.test.ts',
    'packages/*/test/**/*.test.ts',
  ],
  tags: [
    { name: 'long', description: 'Takes long: in `npm run test:long` alone.' },
    { name: 'varied', description: 'Tries more cases in `npm run test:long` (`setup/runs.ts`).' },
  ],
  tagsFilter: ['!long'],
  exclude: ['**/*.long.test.ts'],
  globalSetup: ['test/setup/run/mongod.ts', 'test/setup/run/built-programs.ts'],
  setupFiles: ['test/setup/run/every-file.ts'],
  reporters: ['default', new SummaryReporter()],
  isolate: false,
  pool: 'forks',
  // As the server runs: fewer collections of the young generation.
  execArgv: ['--max-semi-space-size=64'],
  // Each waits for the database for a third of its time.
  maxWorkers: 3,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What comes by itself comes within milliseconds; on a busy machine it may take its time.
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({ plugins: [createBuiltSources()], test });
