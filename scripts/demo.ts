// Runs the main job on a file of decisions, from agents and policies to a bundle that is verified offline.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openDatabase } from '@assay/embedded-mongod';
import { filterChildEnvironment, loadConfig, type Config } from '../src/config/config.ts';
import { MONGOD_CACHE } from '../src/config/project-root.ts';
import { createLogger } from '../src/platform/observability/logger.ts';
import { loadSecrets } from '../src/platform/secrets/secrets.ts';
import { startInstance } from '../src/instance.ts';
import { readCommandLine } from './command-line.ts';
import { readDecisions } from './demo/decisions.ts';
import { startReceiver } from './demo/receiver.ts';
import { runDemo } from './demo/run.ts';
import { count, printLine } from './demo/screen.ts';
import { type DemoWitness, startWitness } from './demo/witness.ts';
import { DEMO_PROMISE_SECONDS } from './demo/witnessed-log.ts';
import { createDownloads } from './mongod/downloads.ts';

const SAMPLE = join(import.meta.dirname, '../samples/decisions.ndjson');
const RAISED = 1_000_000;

interface Options {
  input: string;
  limit: number;
}

const USAGE = `Usage: npm run demo -- [FILE] [options]

Posts a file of decisions to an instance of its own, shows the verdicts and verifies the evidence.

  FILE           decisions as NDJSON, plain or gzipped; default: samples/decisions.ndjson
  --input FILE   the same, as an option
  --limit N      maximum number of decisions`;

function readOptions(): Options {
  return readCommandLine({
    usage: USAGE,
    options: { input: { type: 'string' }, limit: { type: 'string' } },
    read: ({ values, positionals }) => {
      if (positionals.length > 1) throw new Error('give one file');
      const { input = positionals[0] ?? SAMPLE, limit } = values;
      return { input, limit: limit === undefined ? Infinity : parseWholeNumber(limit) };
    },
  });
}

function parseWholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error('--limit: give a whole number from 1');
  return Number(text);
}

/** Creates the configuration: roomy limits, the largest plan, a folder below the server's, and a local receiver. */
function createDemoConfig(hosts: readonly string[], policy: string): Config {
  if (existsSync('.env')) process.loadEnvFile();
  const limit = String(RAISED);
  return loadConfig({
    ...process.env,
    PORT: '0',
    ASSAY_HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    REGISTRATION: 'open',
    DEFAULT_PLAN: 'custom',
    ASSAY_LIMIT_IP: limit,
    ASSAY_LIMIT_USER: limit,
    ASSAY_LIMIT_AUTH: limit,
    ASSAY_OUTBOUND_ALLOW: [...loadConfig().ASSAY_OUTBOUND_ALLOW, ...hosts].join(','),
    ASSAY_DATA_DIR: join(loadConfig().ASSAY_DATA_DIR, 'demo'),
    ASSAY_LOG: 'on',
    ASSAY_LOG_NAME: 'demo.example',
    ASSAY_LOG_MMD_SECONDS: String(DEMO_PROMISE_SECONDS),
    ASSAY_WITNESS_POLICY: policy,
  });
}

/** Writes the file that names the witness, which the verifier takes too. */
async function writePolicy({ vkey, url }: DemoWitness): Promise<string> {
  const folder = relative('', join(loadConfig().ASSAY_DATA_DIR, 'demo'));
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'witness-policy');
  await writeFile(path, `witness demo ${vkey} ${url}\nquorum demo\n`);
  return path;
}

async function runDemoProgram(): Promise<boolean> {
  const { input, limit } = readOptions();
  const decisions = readDecisions(input, limit);
  const receiver = await startReceiver();
  const witness = await startWitness();
  const policy = await writePolicy(witness);
  const config = createDemoConfig([receiver.host, witness.host], policy);
  const { MONGODB_URI: uri, MONGOD_BINARY: binary, ASSAY_DATA_DIR: dataDir } = config;
  printLine('An instance of its own');
  printLine(
    `  database: ${uri === undefined ? `embedded, kept in ${dataDir}` : 'that of MONGODB_URI'}`,
  );
  printLine(
    `  limits: raised to ${count(RAISED)} requests in 15 minutes, per address and per user`,
  );
  printLine(
    `  plan of the new organisation: ${config.DEFAULT_PLAN}, everything included and no monthly limit`,
  );
  const log = (line: string): void => printLine(`  ${line}`);
  const onLost = (reason: string): void => {
    throw new Error(reason);
  };
  const database = await openDatabase({
    uri,
    binary,
    dataDir,
    env: filterChildEnvironment(),
    cacheDir: MONGOD_CACHE,
    downloads: createDownloads(),
    log,
    onLost,
  });
  try {
    const secrets = await loadSecrets(config, log);
    const logger = createLogger(config.LOG_LEVEL, process.stderr);
    const instance = await startInstance({ config, secrets, mongoUri: database.uri, logger });
    try {
      return await runDemo({ instance, receiver, witness, policy, decisions, input, dataDir });
    } finally {
      await instance.stop();
    }
  } finally {
    await database.stop();
    await receiver.close();
    await witness.close();
  }
}

process.exitCode = await runDemoProgram().then(
  (isWhole) => (isWhole ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  },
);
