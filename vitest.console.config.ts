// The console in a real browser against the real app: stories, and what holds on every page. `npm run test:console`.
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/console/setup/longest-first.ts';
import { SummaryReporter } from './test/setup/run/summary-reporter.ts';
import { createBuiltSources } from './test/setup/run/built-sources.ts';
import { test as quick } from './vitest.config.ts';

export default defineConfig({
  plugins: [createBuiltSources()],
  test: {
    ...quick,
    include: ['test/console/**/*.e2e.ts'],
    globalSetup: [
      'test/setup/run/mongod.ts',
      'test/setup/run/built-programs.ts',
      'test/console/setup/built-console.ts',
    ],
    reporters: ['verbose', new SummaryReporter()],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // A browser and an app start beside each other, on a machine that may be busy.
    hookTimeout: 180_000,
    testTimeout: 180_000,
  },
});
