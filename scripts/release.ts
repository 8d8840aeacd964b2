// Releases a quarantined chain of an organisation; its audit log then says what was lost (ledger.md, heads).
import { existsSync } from 'node:fs';
import { filterChildEnvironment, loadConfig } from '../src/config.ts';
import { openDatabase } from '../src/embedded-db/database.ts';
import { startInstance } from '../src/instance.ts';
import type { LostEntries } from '../src/ledger/heads/lost-heads.ts';
import { createLogger } from '../src/platform/observability/logger.ts';
import { loadSecrets } from '../src/platform/secrets/secrets.ts';
import type {
  ChainReleaseService,
  ReleaseRequest,
} from '../src/resources/hash-chain/chain-release.service.ts';
import { readCommandLine } from './command-line.ts';

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

const USAGE = `Usage: npm run release -- ORGANISATION --reason TEXT [options]

Says what a quarantined chain has lost, and lets its organisation go on.

  ORGANISATION    id of the organisation: 24 hexadecimal digits
  --reason TEXT   why it may go on; kept in the audit log
  --chain NAME    which chain: ledger or audit; default: ledger
  --yes           release it; without this, only what is lost is said`;

function readRequest(): ReleaseRequest & { isConfirmed: boolean } {
  return readCommandLine({
    usage: USAGE,
    options: {
      reason: { type: 'string' },
      chain: { type: 'string', default: 'ledger' },
      yes: { type: 'boolean', default: false },
    },
    read: ({ values: { reason, chain, yes }, positionals: [organization = '', ...others] }) => {
      const organizationId = organization.toLowerCase();
      if (!/^[0-9a-f]{24}$/.test(organizationId) || others.length > 0)
        throw new Error('give one organisation: 24 hexadecimal digits');
      if (reason === undefined) throw new Error('give a --reason');
      if (chain !== 'ledger' && chain !== 'audit') throw new Error('--chain: give ledger or audit');
      return { organizationId, chain, reason, isConfirmed: yes };
    },
  });
}

function describeLoss({ from, newest, goesOnAfter }: LostEntries): string {
  const end = goesOnAfter ? `goes on after ${goesOnAfter.sequence}` : 'begins again';
  return `Entries ${from} to ${newest.sequence} are lost; the newest had the hash ${newest.chainHash}. The chain ${end}.`;
}

async function release(service: ChainReleaseService): Promise<boolean> {
  const { isConfirmed, ...request } = readRequest();
  const lost = await (isConfirmed ? service.release(request) : service.findLost(request));
  printLine(lost ? describeLoss(lost) : 'This chain has lost nothing that was noted of it.');
  if (lost) printLine(isConfirmed ? 'Released.' : 'Nothing was changed; --yes releases it.');
  return lost !== null;
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
  const database = await openDatabase({ uri, binary, dataDir, env, log: () => undefined, onLost });
  try {
    const secrets = await loadSecrets(config, () => undefined);
    const instance = await startInstance({ config, secrets, mongoUri: database.uri, logger });
    try {
      return await release(instance.background.chainRelease);
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
