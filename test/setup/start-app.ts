// Starts the real app on the run's real mongod, on a database of its own, and talks to it over HTTP.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { inject, onTestFailed } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { backgroundTimer, type Timer } from '../../src/platform/concurrency/timer.ts';
import { generateHex } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { startInstance, type Instance, type InstanceDeps } from '../../src/instance.ts';
import { noteApp, releaseDatabase, reserveDatabaseUri } from './databases.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // Tests read what they expect; a wrong shape fails the expectation, not the compiler.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  body: any;
  text: string;
}

export interface Call {
  token?: string;
  key?: string;
  body?: unknown;
  /** Sent as it is instead of `body`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
}

export interface TestApp {
  instance: Instance;
  url: string;
  /** Lines the app logged. */
  logged: string[];
  call(method: string, path: string, call?: Call): Promise<Answer>;
  stop(): Promise<void>;
}

/** Fixed secrets, so that a test can sign what the service would not. */
export const SECRETS = {
  jwt: 'a session secret for tests, long enough',
  formerJwt: [],
  ledgerKey: 'a ledger key for tests, also long enough',
  encryptionKey: 'an encryption key for tests, long enough',
  formerEncryption: [],
};
/** The minimum cost of argon2id: hashes have the usual format and cost little. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const ROOMY = {
  PORT: '0',
  NODE_ENV: 'test',
  LOG_LEVEL: 'warn',
  ASSAY_DB_POOL: '8',
  ASSAY_LIMIT_IP: '1000000',
  ASSAY_LIMIT_USER: '1000000',
  ASSAY_LIMIT_FOLLOW_UP: '1000000',
  ASSAY_LIMIT_AUTH: '1000000',
  ASSAY_LIMIT_SIGN_ON: '1000000',
  ASSAY_LIMIT_ONBOARDING: '1000000',
  ASSAY_LIMIT_CPI: '1000000',
  ASSAY_LIMIT_DEMO: '1000000',
  ASSAY_LIMIT_CPI_REPORT: '1000000',
  ASSAY_LIMIT_ACCOUNT_TOTAL: '1000000',
  ASSAY_LIMIT_MAIL: '1000000',
  ASSAY_LIMIT_MAIL_TOTAL: '1000000',
  ASSAY_LIMIT_INVITATIONS: '1000000',
  ASSAY_LIMIT_INVITATIONS_TO_ONE: '1000000',
  ASSAY_LIMIT_SCIM: '1000000',
  ASSAY_PASSWORD_CONCURRENCY: '2',
  // Its thread takes as much processor as all else that an app does at its start.
  ASSAY_MEMORY_INDEXING: 'off',
  // Promises and sealed trees come at their own time; tests of the log switch it on.
  ASSAY_LOG: 'off',
};

/**
 * Jobs that rest for longer than five seconds run by `runJobsOnce` alone: on a slow machine a test would otherwise see
 * more of them than on a quick one.
 */
const jobTimer: Timer = {
  ...backgroundTimer,
  schedule: (ms, run) => (ms > 5_000 ? () => undefined : backgroundTimer.schedule(ms, run)),
};

/** The timer of an app whose jobs run by `runJobsOnce` alone. */
export const NO_JOBS: Timer = { ...backgroundTimer, schedule: () => () => undefined };

/** `environment` overrides the roomy limits; `parts` the clock, the probe or the database. */
export async function startApp(
  environment: Record<string, string> = {},
  parts: Partial<InstanceDeps> = {},
): Promise<TestApp> {
  const logged: string[] = [];
  const dataDir = join(inject('scratch'), `assay-app-${generateHex(6)}`);
  const config = loadConfig({ ...ROOMY, ASSAY_DATA_DIR: dataDir, ...environment });
  const logger = createLogger(config.LOG_LEVEL, { write: (line) => logged.push(line) });
  const { mongoUri = reserveDatabaseUri() } = parts;
  const instance = await startInstance({
    config,
    secrets: SECRETS,
    logger,
    passwordCost: CHEAP,
    threadScripts: inject('built'),
    jobTimer,
    ...parts,
    mongoUri,
  });
  const noteEnd = noteApp(mongoUri);
  async function call(method: string, path: string, call: Call = {}): Promise<Answer> {
    const answer = await sendRequest(instance.url + path, method, call);
    if (answer.status === 500) printOnFailure(logged.findLast((line) => /"level":50/.test(line)));
    return answer;
  }
  return {
    instance,
    url: instance.url,
    logged,
    call,
    async stop() {
      await instance.stop();
      noteEnd();
      await rm(dataDir, { recursive: true, force: true });
      if (parts.mongoUri === undefined) await releaseDatabase(mongoUri);
    },
  };
}

/** Prints what the app logged if the test fails, or the fixture that asked. */
function printOnFailure(line: string | undefined): void {
  try {
    onTestFailed(() => console.error(line));
  } catch {
    console.error(line);
  }
}

/** Closes idle connections long before the app does, and limits connections to what a busy machine can answer. */
const dispatcher = new Agent({
  keepAliveTimeout: 1000,
  keepAliveMaxTimeout: 1000,
  connections: 250,
});

/** Keeps values of one name separate, such as those of `set-cookie`. */
function toHeaders(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received))
    for (const value of Array.isArray(values) ? values : [values]) headers.append(name, value);
  return headers;
}

/**
 * `ASSAY_TEST_PAUSE_MS`: one request of twelve is sent that much later, so that a test fails which hopes that what runs
 * in the background has not run yet.
 */
const PAUSE_MS = Number(process.env.ASSAY_TEST_PAUSE_MS ?? 0);
const PAUSED_SHARE = PAUSE_MS > 0 ? 1 / 12 : 0;

/** One request; the answer is parsed when it is JSON. `fetch` would take the processor six times as long. */
export async function sendRequest(
  url: string,
  method: string,
  { token, key, body, raw, headers = {} }: Call,
): Promise<Answer> {
  if (Math.random() < PAUSED_SHARE) await sleep(PAUSE_MS);
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await request(url, {
    dispatcher,
    method,
    headers: {
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
    body: payload ?? null,
  });
  const answered = toHeaders(response.headers);
  const isStream = answered.get('content-type')?.startsWith('text/event-stream') ?? false;
  const text = isStream ? await readBeginning(response.body) : await response.body.text();
  const isJson = answered.get('content-type')?.includes('json') ?? false;
  return {
    status: response.statusCode,
    headers: answered,
    body: isJson ? (JSON.parse(text) as unknown) : undefined,
    text,
  };
}

/** Reads only the first chunk of a stream, which does not end by itself. */
async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const piece of body) return Buffer.from(piece).toString();
  return '';
}

/** Returns status and code of an answer; a success has no code. */
export const toOutcome = ({ status, body }: Answer): [number, string | undefined] => [
  status,
  body?.code,
];
