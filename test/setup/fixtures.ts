// Fixtures that the tests of a file share: started in order of declaration before the first test, stopped at the end.
import { afterAll, beforeAll } from 'vitest';
import type { InstanceDeps } from '../../src/instance.ts';
import { startHarness, type Harness } from './harness.ts';
import { createOwner, type Owner } from './personas.ts';

/** Declares a fixture whose members exist from the first test on, so that helpers of the file can close over it. */
export function useFixture<T extends object>(
  start: () => Promise<T>,
  stop?: (fixture: T) => unknown,
): T {
  const fixture = {} as T;
  beforeAll(async () => {
    Object.defineProperties(fixture, Object.getOwnPropertyDescriptors(await start()));
  });
  if (stop) afterAll(async () => void (await stop(fixture)));
  return fixture;
}

type Environment = Record<string, string>;

/** An app on a database of its own. An environment that names another fixture is a function. */
export function useHarness(
  environment: Environment | (() => Environment) = {},
  parts: Partial<InstanceDeps> = {},
): Harness {
  const harness = { app: {} } as Harness;
  beforeAll(async () => {
    const settings = typeof environment === 'function' ? environment() : environment;
    const { app, mongoUri, db, stop } = await startHarness(settings, parts);
    Object.assign(harness.app, app);
    Object.assign(harness, { mongoUri, db, stop });
  });
  afterAll(() => harness.stop());
  return harness;
}

/** A user with an organisation of their own. */
export function useOwner({ app }: Harness, name = 'Ada'): Owner {
  return useFixture(() => createOwner(app, name));
}
