// Releases a quarantined chain and a frozen log; the audit log then says what was lost (ledger.md, evidence.md).
import { existsSync } from 'node:fs';
import { openDatabase } from '@assay/embedded-mongod';
import { filterChildEnvironment, loadConfig } from '../src/config/config.ts';
import { MONGOD_CACHE } from '../src/config/project-root.ts';
import { type Instance, startInstance } from '../src/instance.ts';
import type { LostEntries } from '../src/ledger/heads/lost-heads.ts';
import { createLogger } from '../src/platform/observability/logger.ts';
import { loadSecrets } from '../src/platform/secrets/secrets.ts';
import {
  type ReleaseRequest,
  releaseChain,
  findLostEntries,
} from '../src/evidence/hash-chain/chain-release.service.ts';
import {
  type BrokenLog,
  type ReleasedLog,
  releaseLog,
  findBrokenLog,
  describeHeads,
  releaseAll,
} from '../src/evidence/log/release/log-release.service.ts';
import { readCommandLine } from './command-line.ts';

type Running = Pick<Instance, 'platform'>;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

const USAGE = `Usage: npm run release -- ORGANISATION --reason TEXT [options]
       npm run release -- --all-logs --reason TEXT [--yes]

Says what a quarantined chain has lost and whether its log cannot go on, and lets its organisation go on.

  ORGANISATION    id of the organisation: 24 hexadecimal digits
  --reason TEXT   why it may go on; kept in the audit log
  --chain NAME    which chain: ledger or audit; default: ledger
  --all-logs      instead of an organisation: closes every log and opens a new one for each chain, after the heads
                  log was frozen because the database was set back
  --yes           release it; without this, only what is lost is said`;

interface Options {
  /** Null: every log. */
  request: ReleaseRequest | null;
  reason: string;
  isConfirmed: boolean;
}

function readOptions(): Options {
  return readCommandLine({
    usage: USAGE,
    options: {
      reason: { type: 'string' },
      chain: { type: 'string', default: 'ledger' },
      'all-logs': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
    read: ({ values, positionals: [organization = '', ...others] }) => {
      const { reason, chain, yes: isConfirmed, 'all-logs': isOfAll } = values;
      if (reason === undefined) throw new Error('give a --reason');
      if (isOfAll) {
        if (organization !== '') throw new Error('give an organisation or --all-logs, not both');
        return { request: null, reason, isConfirmed };
      }
      const organizationId = organization.toLowerCase();
      if (!/^[0-9a-f]{24}$/.test(organizationId) || others.length > 0)
        throw new Error('give one organisation: 24 hexadecimal digits');
      if (chain !== 'ledger' && chain !== 'audit') throw new Error('--chain: give ledger or audit');
      return { request: { organizationId, chain, reason }, reason, isConfirmed };
    },
  });
}

function describeLoss({ from, newest, goesOnAfter }: LostEntries): string {
  const end = goesOnAfter ? `goes on after ${goesOnAfter.sequence}` : 'begins again';
  return `Entries ${from} to ${newest.sequence} are lost; the newest had the hash ${newest.chainHash}. The chain ${end}.`;
}

function describeLog(log: BrokenLog | ReleasedLog): string {
  const end = 'successor' in log ? `It is closed, and ${log.successor} follows it.` : '';
  return `The log ${log.origin} of ${log.size} entries cannot go on: ${log.why}. ${end}`.trimEnd();
}

function printEnd(isConfirmed: boolean): void {
  printLine(isConfirmed ? 'Released.' : 'Nothing was changed; --yes releases it.');
}

async function releaseBoth(
  { platform }: Running,
  request: ReleaseRequest,
  isConfirmed: boolean,
): Promise<boolean> {
  const lost = await (isConfirmed
    ? releaseChain(platform, request)
    : findLostEntries(platform, request));
  const log = await (isConfirmed
    ? releaseLog(platform, request)
    : findBrokenLog(platform, request));
  printLine(lost ? describeLoss(lost) : 'This chain has lost nothing that was noted of it.');
  if (log) printLine(describeLog(log));
  if (lost || log) printEnd(isConfirmed);
  return lost !== null || log !== null;
}

async function releaseLogs(
  { platform }: Running,
  reason: string,
  isConfirmed: boolean,
): Promise<boolean> {
  const { frozen, logs } = await describeHeads(platform);
  if (frozen === null) {
    printLine('The heads log is not frozen: no log has to be closed.');
    return false;
  }
  printLine(`The heads log cannot go on: ${frozen}. ${logs} other logs have signed something.`);
  const released = isConfirmed ? await releaseAll(platform, reason) : [];
  for (const log of released) printLine(describeLog(log));
  printEnd(isConfirmed);
  return true;
}

function release(running: Running): Promise<boolean> {
  const { request, reason, isConfirmed } = readOptions();
  return request
    ? releaseBoth(running, request, isConfirmed)
    : releaseLogs(running, reason, isConfirmed);
}

/** An instance of its own on the server's database: it seals by the same rules. */
async function runRelease(): Promise<boolean> {
  if (existsSync('.env')) process.loadEnvFile();
  const config = loadConfig({ ...process.env, PORT: '0', ASSAY_HOST: '127.0.0.1' });
  const logger = createLogger('fatal', process.stderr);
  const { MONGODB_URI: uri, MONGOD_BINARY: binary, ASSAY_DATA_DIR: dataDir } = config;
  const onLost = (reason: string): void => {
    throw new Error(reason);
  };
  const env = filterChildEnvironment();
  const database = await openDatabase({
    uri,
    binary,
    dataDir,
    cacheDir: MONGOD_CACHE,
    env,
    log: () => undefined,
    onLost,
  });
  try {
    const secrets = await loadSecrets(config, () => undefined);
    const instance = await startInstance({ config, secrets, mongoUri: database.uri, logger });
    try {
      return await release(instance);
    } finally {
      await instance.stop();
    }
  } finally {
    await database.stop();
  }
}

process.exitCode = await runRelease().then(
  (wasLost) => (wasLost ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  },
);
