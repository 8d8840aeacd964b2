// Takes pictures of every page of the console into data/pictures. `npm run console:pictures`.
import { defineConfig } from 'vitest/config';
import consoleTests from './vitest.console.config.ts';

export default defineConfig({
  ...consoleTests,
  test: { ...consoleTests.test, include: ['test/console/pictures.ts'] },
});
