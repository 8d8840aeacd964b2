// One instance in a process of its own, which kills itself at the named step that it was told.
import { loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { startInstance } from '../../src/instance.ts';
import type { Step } from '../../src/ledger/probe.ts';

/** What the parent process says, as one argument. */
export interface Orders {
  mongoUri: string;
  /** Dies by SIGKILL at the nth time this step is reached. */
  dieAt?: { step: Step; nth: number };
  /** Configuration besides the roomy limits. */
  environment?: Record<string, string>;
  /** Added to the clock that seals. */
  clockOffsetMs?: number;
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const SECRETS = {
  jwt: 'a session secret for tests, long enough',
  formerJwt: [],
  ledgerKey: 'a ledger key for tests, also long enough',
  encryptionKey: 'an encryption key for tests, long enough',
  formerEncryption: [],
};
const roomy = {
  PORT: '0',
  LOG_LEVEL: 'error',
  ASSAY_LIMIT_IP: '100000000',
  ASSAY_LIMIT_USER: '100000000',
  ASSAY_LIMIT_AUTH: '100000000',
};
let reached = 0;

const instance = await startInstance({
  config: loadConfig({ ...roomy, ...orders.environment }),
  secrets: SECRETS,
  mongoUri: orders.mongoUri,
  logger: createLogger('error', { write: (line) => process.stderr.write(line) }),
  clock: { now: () => new Date(systemClock.now().getTime() + (orders.clockOffsetMs ?? 0)) },
  subscribesToEvents: () => Promise.resolve(true),
  probe(step) {
    if (step === orders.dieAt?.step && ++reached === orders.dieAt.nth)
      process.kill(process.pid, 'SIGKILL');
  },
});
process.send?.({ url: instance.url });
process.on('SIGTERM', () => void instance.stop().then(() => process.exit(0)));
process.on('disconnect', () => process.exit(1));
