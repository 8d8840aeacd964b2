// One real mongod for the whole run (test/setup/mongod.ts); files share the module cache, each has a database of its own.
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/setup/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/{api,domain,contract,ledger,platform,embedded-db}/**/*.test.ts'],
    exclude: ['**/*.long.test.ts'],
    globalSetup: ['test/setup/mongod.ts', 'test/setup/built.ts'],
    setupFiles: ['test/setup/every-file.ts'],
    reporters: ['default', new SummaryReporter()],
    isolate: false,
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What comes by itself comes within milliseconds; on a busy machine it may take its time.
    expect: { poll: { timeout: 20_000 } },
  },
});
