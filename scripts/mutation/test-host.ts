// Runs quick tests again and again in one process, with one database and one compilation; see `test-runs.ts`.
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  BaseSequencer,
  createVitest,
  type TestModule,
  type TestSpecification,
  type TestUserConfig,
} from 'vitest/node';
import { createPrograms } from '../../test/setup/run/built-programs.ts';
import { createBuiltSources } from '../../test/setup/run/built-sources.ts';
import { compileFolder } from '../../test/setup/run/compiled.ts';
import { test as quick } from '../../vitest.config.ts';
import { orderTests } from './order-tests.ts';
import type { Answer, Order } from './test-runs.ts';

/** Tests of pure rules need neither a database nor its driver. */
const REQUIRED: Partial<Record<string, TestUserConfig>> = {
  database: { globalSetup: ['test/setup/run/lasting-mongod.ts'] },
  nothing: { globalSetup: [], setupFiles: ['test/setup/run/random-cases.ts'] },
};

/** A mutant that waits for ever costs this: quick tests take a few seconds, also on a busy machine. */
const TEST_TIMEOUT_MS = 30_000;

/** Runs the files in the order that was set. */
class NearestFirst extends BaseSequencer {
  static order: string[] = [];

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const getPlace = ({ moduleId }: TestSpecification) => NearestFirst.order.indexOf(moduleId);
    return files.toSorted((a, b) => getPlace(a) - getPlace(b));
  }
}

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
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: TEST_TIMEOUT_MS,
      sequence: { sequencer: NearestFirst },
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

/** Resolves with what failed, by name. */
async function runTests(found: TestSpecification[]): Promise<string[]> {
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

async function answerOrder(order: Order): Promise<Answer> {
  for (const file of order.changed) await compileChange(file);
  const started = performance.now();
  const failed = await listFailures(order);
  return { failed, took: performance.now() - started };
}

/** Runs the tests, the nearest first; one that fails ends the run. */
async function listFailures({ mutated, tests }: Order): Promise<string[]> {
  const found = [];
  for (const path of tests) {
    const files = await vitest.globTestSpecifications([path]);
    if (files.length === 0) return [`no test file: ${path}`];
    found.push(...files);
  }
  NearestFirst.order = orderTests(found, mutated);
  return runTests(found);
}

process.on('message', (order: Order) => {
  answerOrder(order).then(
    (answer) => process.send?.(answer),
    // Sources that do not even compile are noticed.
    (error: unknown) => process.send?.({ failed: [String(error)], took: 0 }),
  );
});
process.once('disconnect', () => {
  void vitest
    .close()
    .then(() => rm(outdir, { recursive: true, force: true }))
    .finally(() => process.exit());
});
