// The plain app with the built console, which the files of a worker share: organisations keep their tests apart.
import { resolve } from 'node:path';
import { useConsoleHarness } from '../../setup/fixtures.ts';
import type { Harness } from '../../setup/harness.ts';

export const useConsole = (): Harness => useConsoleHarness(resolve('dist/console'));
