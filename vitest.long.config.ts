// What takes long: files of their own (`x.long.test.ts`), and those that have a long form, in that form: thousands of random cases
// and whole tables where `npm test` tries some. `npm run test:long`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const IMPORTS_RUNS = /^import .*\/setup\/runs\.ts';$/m;

const takesLong = (file: string): boolean =>
  file.endsWith('.long.test.ts') ||
  (file.endsWith('.test.ts') && IMPORTS_RUNS.test(readFileSync(file, 'utf8')));

export default defineConfig({
  test: {
    ...base.test,
    include: readdirSync('test', { recursive: true, encoding: 'utf8' })
      .map((file) => join('test', file))
      .filter(takesLong),
    exclude: [],
    env: { ASSAY_TEST_LONG: '1' },
  },
});
