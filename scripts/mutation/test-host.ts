// Runs quick tests again and again in one process, which starts its database and compiles its sources once; see `test-runs.ts`.
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createVitest, type TestModule, type TestUserConfig } from 'vitest/node';
import { createPrograms } from '../../test/setup/run/built-programs.ts';
import { createBuiltSources } from '../../test/setup/run/built-sources.ts';
import { compileFolder } from '../../test/setup/run/compiled.ts';
import { test as quick } from '../../vitest.config.ts';
import type { Answer, Order } from './test-runs.ts';

/** Tests of pure rules need neither a database nor its driver. */
const REQUIRED: Partial<Record<string, TestUserConfig>> = {
  database: { globalSetup: ['test/setup/run/mongod.ts'] },
  nothing: { globalSetup: [], setupFiles: ['test/setup/run/random-cases.ts'] },
};

const outdir = await compileFolder('assay-mutation-');
const compilePrograms = createPrograms(outdir);
await compilePrograms();
const sources = createBuiltSources();
const vitest = await createVitest(
  'test',
  { config: false, watch: false },
  {
    plugins: [sources],
    test: {
      ...quick,
      ...REQUIRED[process.argv[2] ?? ''],
      reporters: [{}],
      silent: true,
      maxWorkers: 1,
      bail: 1,
    },
  },
);
vitest.provide('built', pathToFileURL(`${outdir}/`).href);

async function compileChange(file: string): Promise<void> {
  await sources.recompile(file);
  await compilePrograms(file);
  vitest.invalidateFile(resolve(file));
}

const isBroken = (module: TestModule): boolean => !module.ok() || module.errors().length > 0;

/** Resolves with what failed, by name; nothing at all found to run is a failure too. */
async function runTests(tests: string[]): Promise<string[]> {
  const found = await vitest.globTestSpecifications(tests);
  if (found.length === 0) return [`no test file: ${tests.join(', ')}`];
  const { unhandledErrors } = await vitest.runTestSpecifications(found);
  const modules = found
    .map(({ testModule }) => testModule)
    .filter((module) => module !== undefined);
  const failed = modules.filter(isBroken).map((module) => {
    const names = [...module.children.allTests('failed')].map((test) => test.fullName);
    return `${module.relativeModuleId}: ${names.join(', ')}`;
  });
  return [...failed, ...unhandledErrors.map(String)];
}

async function answerOrder({ changed, tests }: Order): Promise<Answer> {
  for (const file of changed) await compileChange(file);
  for (const group of tests) {
    const failed = await runTests([group].flat());
    if (failed.length > 0) return { failed };
  }
  return { failed: [] };
}

process.on('message', (order: Order) => {
  answerOrder(order).then(
    (answer) => process.send?.(answer),
    // Sources that do not even compile are noticed.
    (error: unknown) => process.send?.({ failed: [String(error)] }),
  );
});
process.once('disconnect', () => {
  void vitest
    .close()
    .then(() => rm(outdir, { recursive: true, force: true }))
    .finally(() => process.exit());
});
