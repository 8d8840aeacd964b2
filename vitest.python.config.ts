// The tests of the Python SDK: `npm run test:python`. They need Python 3.10 or later and its package index.
import { defineConfig } from 'vitest/config';
import { createBuiltSources } from './test/setup/run/built-sources.ts';
import { test as quick } from './vitest.config.ts';

export default defineConfig({
  plugins: [createBuiltSources()],
  test: {
    ...quick,
    include: ['test/python/**/*.test.ts'],
    globalSetup: [...[quick?.globalSetup ?? []].flat(), 'test/python/installed.ts'],
  },
});
