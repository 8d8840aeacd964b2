// What is looked at and measured in a browser, beside the tests. `npm run console:pictures` and `npm run console:times`.
import { defineConfig } from 'vitest/config';
import consoleTests from './vitest.console.config.ts';

export default defineConfig({
  ...consoleTests,
  test: { ...consoleTests.test, include: ['test/console/{pictures,times}.ts'] },
});
