// The test files that have a long form, in that form: thousands of random cases where `npm test` tries some. `npm run test:long`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const IMPORTS_RUNS = /^import .*\/setup\/runs\.ts';$/m;

const tests = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.test.ts'),
);

export default defineConfig({
  test: {
    ...base.test,
    include: tests
      .map((file) => join('test', file))
      .filter((file) => IMPORTS_RUNS.test(readFileSync(file, 'utf8'))),
    env: { ASSAY_TEST_LONG: '1' },
  },
});
