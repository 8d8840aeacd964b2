// Entry: load the configuration, find or start MongoDB, start the instance, drain on SIGTERM.
import closeWithGrace from 'close-with-grace';
import { childEnvironment, ConfigError, loadConfig, type Config } from './config.ts';
import { startEmbedded } from './infra/embedded-mongod.ts';
import { createLogger, type Logger } from './infra/logger.ts';
import { findMongod } from './infra/mongod-binary.ts';
import { loadSecrets } from './infra/secrets.ts';
import { startInstance } from './instance.ts';

const DRAIN_MS = 20_000;

interface Database {
  uri: string;
  stop(): Promise<void>;
}

async function database(config: Config, logger: Logger): Promise<Database> {
  if (config.MONGODB_URI !== undefined) return { uri: config.MONGODB_URI, stop: () => Promise.resolve() };
  const log = (line: string): void => logger.info(line);
  const binary = await findMongod({ binary: config.MONGOD_BINARY, env: childEnvironment(), log });
  const onLost = (reason: string): void => {
    logger.fatal(reason);
    process.exit(1);
  };
  return startEmbedded({ dataDir: config.ASSAY_DATA_DIR, binary, log, onLost });
}

function welcome(url: string): string {
  return `
  Assay answers at    ${url}
  API reference       ${url}/docs

  Get a key: register, then mint one with the token of the answer:
    curl -s ${url}/api/v1/auth/register -H 'content-type: application/json' \\
      -d '{"name":"Ada","email":"ada@example.com","password":"Correct-Horse-9","organizationName":"Example"}'
    curl -s ${url}/api/v1/auth/keys -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"name":"first"}'
`;
}

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config.LOG_LEVEL);
  const mongo = await database(config, logger);
  const secrets = await loadSecrets(config, (line) => logger.info(line));
  const instance = await startInstance({ config, secrets, mongoUri: mongo.uri, logger });
  process.stdout.write(welcome(instance.url));
  closeWithGrace(
    { delay: DRAIN_MS, logger: { error: (error) => logger.error({ err: error }, 'stopping') } },
    async ({ err }) => {
      if (err) logger.fatal({ err }, 'stopping after a fault');
      await instance.stop();
      await mongo.stop();
    },
  );
}

main().catch((error: unknown) => {
  const text = error instanceof ConfigError || error instanceof Error ? error.message : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
});
