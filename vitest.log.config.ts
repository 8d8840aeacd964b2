// The witnessed log against programs of others, written in Go. `npm run test:log`.
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/setup/run/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/interop/**/*.test.ts'],
    globalSetup: ['test/setup/run/mongod.ts', 'test/setup/run/built-programs.ts'],
    setupFiles: ['test/setup/run/every-file.ts'],
    reporters: ['default', new SummaryReporter()],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
