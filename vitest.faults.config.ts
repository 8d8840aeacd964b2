// The long tests: processes killed, members stepped down, networks stalled. `npm run test:faults`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/setup/run/mongod.ts', 'test/setup/run/fault-programs.ts'],
    pool: 'forks',
    fileParallelism: false,
    reporters: ['verbose'],
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
  },
});
