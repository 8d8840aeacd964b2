// Starts the server: loads the configuration, opens the database, starts the instance, and drains it on SIGTERM.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import closeWithGrace from 'close-with-grace';
import {
  openDatabase,
  type Database,
  type MongodLookup,
  findFreePort,
} from '@assay/embedded-mongod';
import { filterChildEnvironment, loadConfig, type Config } from './config/config.ts';
import { MONGOD_CACHE } from './config/project-root.ts';
import { type Instance, type InstanceDeps, prepareReference, startInstance } from './instance.ts';
import { createLogger, type Logger } from './platform/observability/logger.ts';
import { describeOpenings } from './platform/observability/openings.ts';
import { loadSecrets } from './platform/secrets/secrets.ts';
import { startWorkers } from './workers/primary.ts';
import { joinPrimary, type Primary } from './workers/worker.ts';

const DRAIN_MS = 20_000;
const PARENT_CHECK_MS = 500;

function renderWelcome(url: string): string {
  return `
  Assay listens at   ${url}
  Console            ${url}/console
  API reference      ${url}/docs

  To get an API key, register (with your own name and password; later, /api/v1/auth/login returns the token) and create one:

    TOKEN=$(curl -s ${url}/api/v1/auth/register -H 'content-type: application/json' \\
      -d '{"name":"Ada","email":"ada@example.com","password":"Correct-Horse-9","organizationName":"Example"}' \\
      | node -p 'JSON.parse(fs.readFileSync(0)).data.token')
    curl -s ${url}/api/v1/auth/keys -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"name":"first"}'

`;
}

/** Options that an entry point adds to the server. */
interface Additions extends Partial<Pick<MongodLookup, 'downloads' | 'cacheDir'>> {
  /** Called once the server listens, with the logger; not in workers. */
  onListening?: (config: Config, log: (line: string) => void) => void;
}

async function startProcess({ onListening, ...lookup }: Additions): Promise<void> {
  // The parent may end while the server starts.
  const parent = process.ppid;
  if (existsSync('.env')) process.loadEnvFile();
  const config = loadConfig();
  const primary = await joinPrimary();
  if (primary) return runWorker(config, primary);
  const logger = createLogger(config.LOG_LEVEL);
  const database = await openConfiguredDatabase({ config, logger, lookup });
  const secrets = await loadSecrets(config, (line) => logger.info(line));
  for (const opening of describeOpenings(config)) logger.warn(opening);
  const service = await serve({ config, secrets, mongoUri: database.uri, logger });
  process.stdout.write(renderWelcome(service.url));
  onListening?.(config, (line) => logger.info(line));
  const close = stopOnSignal(logger, async () => {
    await service.stop();
    await database.stop();
  });
  if (filterChildEnvironment().npm_lifecycle_event !== undefined) followParent(parent, close);
}

/** Serves in this process, or in worker processes. */
async function serve(
  deps: Pick<InstanceDeps, 'config' | 'secrets' | 'mongoUri' | 'logger'>,
): Promise<Pick<Instance, 'url' | 'stop'>> {
  const { config, secrets, mongoUri, logger } = deps;
  const workers = config.ASSAY_WORKERS === 'auto' ? availableParallelism() : config.ASSAY_WORKERS;
  if (workers > 1) {
    // A worker that dies is restarted on the same port.
    const port = config.PORT || (await findFreePort());
    return startWorkers({
      orders: { workers, mongoUri, secrets, port },
      log: logger,
      onLost: createExitHandler(logger),
    });
  }
  prepareReference();
  return startInstance(deps);
}

/** Runs as one of several workers. */
async function runWorker(config: Config, { orders, ...primary }: Primary): Promise<void> {
  const { number: worker, port: PORT, mongoUri, secrets } = orders;
  const logger = createLogger(config.LOG_LEVEL, undefined, { worker });
  try {
    prepareReference();
    const { shared } = primary;
    const instance = await startInstance({
      config: { ...config, PORT },
      secrets,
      mongoUri,
      logger,
      shared,
    });
    primary.onStop(stopOnSignal(logger, instance.stop));
    primary.noteListening(instance.url);
  } catch (error) {
    await primary.noteFailure(describeStartError(error));
    process.exit(1);
  }
}

interface DatabaseDeps {
  config: Config;
  logger: Logger;
  lookup: Partial<Pick<MongodLookup, 'downloads' | 'cacheDir'>>;
}

/** Opens the database; the process exits when it is lost. */
function openConfiguredDatabase({ config, logger, lookup }: DatabaseDeps): Promise<Database> {
  return openDatabase({
    uri: config.MONGODB_URI,
    binary: config.MONGOD_BINARY,
    dataDir: config.ASSAY_DATA_DIR,
    env: filterChildEnvironment(),
    log: (line) => logger.info(line),
    onLost: createExitHandler(logger),
    cacheDir: MONGOD_CACHE,
    ...lookup,
  });
}

const createExitHandler = (logger: Logger) => (reason: string) => {
  logger.fatal(reason);
  process.exit(1);
};

/** Stops on a signal, on an uncaught error, or when the returned function is called. */
function stopOnSignal(logger: Logger, stop: () => Promise<void>): () => void {
  const onError = (error: unknown): void => logger.error({ err: error }, 'error while stopping');
  const { close } = closeWithGrace(
    { delay: DRAIN_MS, logger: { error: onError } },
    async ({ err }) => {
      if (err) logger.fatal({ err }, 'stopping after an uncaught error');
      await stop();
    },
  );
  return close;
}

/** Stops when the parent has ended: npm passes a signal to its shell, which does not forward it. */
function followParent(parent: number, close: () => void): void {
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    close();
  }, PARENT_CHECK_MS).unref();
}

function describeStartError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.includes('EADDRINUSE') ? `${text}; set PORT to another port` : text;
}

/** Starts the server in this process. */
export function startServer(additions: Additions = {}): void {
  // An explicit exit: open connections and timers would keep the process alive.
  startProcess(additions).catch((error: unknown) => {
    process.stderr.write(`${describeStartError(error)}\n`);
    process.exit(1);
  });
}
