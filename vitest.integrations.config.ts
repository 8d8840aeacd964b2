// The SDK in the agent frameworks, each in its released version: `npm run test:integrations`. It needs a package registry.
import { defineConfig } from 'vitest/config';
import { createBuiltSources } from './test/setup/run/built-sources.ts';
import { test as quick } from './vitest.config.ts';

export default defineConfig({
  plugins: [createBuiltSources()],
  test: {
    ...quick,
    include: ['integrations/*.test.ts'],
    globalSetup: [
      'test/setup/run/mongod.ts',
      'test/setup/run/fault-programs.ts',
      'integrations/setup/packed-sdk.ts',
    ],
    // Frameworks keep state of their own in modules.
    isolate: true,
    maxWorkers: 2,
    // Compilers and whole agents start in processes of their own; a busy machine takes its time.
    testTimeout: 170_000,
  },
});
