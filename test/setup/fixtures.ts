// Fixtures that the tests of a file share: started in order of declaration before the first test, stopped at the end.
import { afterAll, beforeAll } from 'vitest';
import type { InstanceDeps } from '../../src/instance.ts';
import { createSharedUri } from './databases.ts';
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

/**
 * An app and its database. A plain one is shared by all files of a worker that ask for a plain one: organisations keep
 * their tests apart. One with settings or parts is the file's own; an environment that names another fixture is a function.
 */
export function useHarness(
  environment?: Environment | (() => Environment),
  parts?: Partial<InstanceDeps>,
): Harness {
  if (environment === undefined && parts === undefined) return useSharedHarness();
  return useOwnHarness(environment, parts);
}

/** A plain app that serves the console of this folder, shared like a plain one. */
export const useConsoleHarness = (consoleFolder: string): Harness =>
  useSharedHarness({ consoleFolder });

/** An app on a database of its own. */
export function useOwnHarness(
  environment: Environment | (() => Environment) = {},
  parts: Partial<InstanceDeps> = {},
): Harness {
  const harness = useStarted(() =>
    startHarness(typeof environment === 'function' ? environment() : environment, parts),
  );
  afterAll(() => harness.stop());
  return harness;
}

/** The plain apps of this worker, by the folder of their console, once a file has asked for one; they end with the worker. */
const shared = new Map<string | undefined, Promise<Harness>>();

function useSharedHarness(parts: Pick<Partial<InstanceDeps>, 'consoleFolder'> = {}): Harness {
  const { consoleFolder } = parts;
  return useStarted(() => {
    const known = shared.get(consoleFolder);
    if (known) return known;
    const started = startHarness({}, { ...parts, mongoUri: createSharedUri() });
    shared.set(consoleFolder, started);
    return started;
  });
}

function useStarted(start: () => Promise<Harness>): Harness {
  const harness = { app: {} } as Harness;
  beforeAll(async () => {
    const { app, ...others } = await start();
    Object.assign(harness.app, app);
    Object.assign(harness, others);
  });
  return harness;
}

/** A user with an organisation of their own. */
export function useOwner({ app }: Harness, name = 'Ada'): Owner {
  return useFixture(() => createOwner(app, name));
}
