// The packages of a release, packed and installed without the checkout: `npm run test:release`. It needs a registry and Python.
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/setup/run/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/release/**/*.test.ts'],
    globalSetup: ['test/release/packed.ts'],
    // Times are checked.
    fileParallelism: false,
    pool: 'forks',
    reporters: ['verbose', new SummaryReporter()],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
