// The stage of every measurement: one mongod, the load generator, the baselines, and instances of the real server.
import type { ChildProcess } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { startEmbedded, type EmbeddedMongod, findFreePort } from '@assay/embedded-mongod';
import { findOrFetchMongod } from '../scripts/mongod/find-or-fetch.ts';
import { listAgents, readBodies } from './decisions.ts';
import { type Attack, sendAttack } from './hostile/attack.ts';
import { forgetPeak, readMemory } from './hostile/hostile.ts';
import { stopChild, measure, start, waitForMessage, type Block } from './processes.ts';
import { callApi, registerOrganizations, type Bench } from './tenants.ts';
import type { DriverOrder, Span, Target } from './wire.ts';

const METRICS_TOKEN = 'a token for the metrics';
/** High enough that no limit is met; the limiters stay in place. */
const SERVER_ENV = {
  ASSAY_JWT_SECRET: 'a session secret for the benchmark, long enough',
  ASSAY_LEDGER_KEY: 'a ledger key for the benchmark, also long enough',
  ASSAY_ENCRYPTION_KEY: 'an encryption key for the benchmark, long enough',
  ASSAY_LIMIT_IP: '1000000000',
  ASSAY_LIMIT_USER: '1000000000',
  ASSAY_LIMIT_AUTH: '1000000000',
  ASSAY_METRICS_TOKEN: METRICS_TOKEN,
  LOG_LEVEL: 'warn',
};

/** Node options of `npm start`: decisions in flight survive the collections of a small young generation. */
const NODE_ARGS = ['--max-semi-space-size=128'];

export interface App {
  port: number;
  child: ChildProcess;
}

export interface StageOptions {
  /** Decisions to post, one a line; absent: the sample. */
  input: string | undefined;
  /** A folder for CPU profiles of the instances. */
  profile: string | undefined;
  span: Span;
}

export class Stage {
  readonly span: Span;
  readonly texts: readonly string[];
  readonly #profile: string | undefined;
  readonly #mongod: EmbeddedMongod;
  readonly #mongodPid: number;
  readonly #load: ChildProcess;
  readonly #driver: ChildProcess;
  readonly #stock: ChildProcess;
  readonly #stockPort: number;
  #databases = 0;

  private constructor(
    { input, profile, span }: StageOptions,
    parts: { mongod: EmbeddedMongod; mongodPid: number; stockPort: number },
  ) {
    this.span = span;
    this.texts = readBodies(input);
    this.#profile = profile;
    this.#mongod = parts.mongod;
    this.#mongodPid = parts.mongodPid;
    this.#stockPort = parts.stockPort;
    this.#load = start('bench/load.ts');
    this.#driver = start('bench/driver.ts');
    this.#stock = start('bench/stock-server.ts', {
      args: [String(parts.stockPort), buildDatabaseUri(parts.mongod, 'stock')],
    });
  }

  static async openStage(options: StageOptions): Promise<Stage> {
    const mongod = await startEmbedded({
      dataDir: await mkdtemp(join(tmpdir(), 'assay-bench-')),
      binary: await findOrFetchMongod(console.error),
      log: console.error,
      cacheGb: 2,
      ephemeral: true,
    });
    const client = await mongoose.mongo.MongoClient.connect(mongod.uri);
    const { pid } = await client.db('admin').command({ serverStatus: 1 });
    await client.close();
    const stage = new Stage(options, {
      mongod,
      mongodPid: Number(pid),
      stockPort: await findFreePort(),
    });
    await Promise.all(
      [stage.#load, stage.#driver, stage.#stock].map((child) => waitForMessage(child, 'ready')),
    );
    stage.#load.send({ bodies: stage.texts });
    return stage;
  }

  async close(): Promise<void> {
    await Promise.all([this.#load, this.#driver, this.#stock].map(stopChild));
    await this.#mongod.stop();
  }

  /** Instances of the real server on one new database. */
  async openScene({
    instances = 1,
    organizations = 1,
    isPlain = false,
    env = {},
  }: {
    instances?: number;
    organizations?: number;
    /** Organisations without agents and policies, of which many are made in a minute. */
    isPlain?: boolean;
    /** Configuration besides the roomy limits. */
    env?: Readonly<Record<string, string>>;
  } = {}): Promise<Scene> {
    const uri = this.uri(`bench${(this.#databases += 1)}`);
    const apps: App[] = [];
    for (let i = 0; i < instances; i++)
      apps.push(await startServer(uri, { profile: this.#profile, env }));
    const url = `http://127.0.0.1:${apps[0]?.port}`;
    const kind = isPlain ? { agentNames: [], policies: 0 } : { agentNames: listAgents(this.texts) };
    const made = await registerOrganizations(url, organizations, kind);
    return new Scene(this, { uri, apps, organizations: made });
  }

  /** An instance on a database that exists; resolves when it is ready. */
  startInstance(uri: string): Promise<App> {
    return startServer(uri, { profile: this.#profile, env: {} });
  }

  /** Load on some addresses, with the CPU of the processes behind them and of mongod. */
  async runLoad(
    targets: readonly Target[],
    { pids, rate, span = this.span }: { pids: readonly number[]; rate?: number; span?: Span },
  ): Promise<Block> {
    const watched = {
      mongod: this.#mongodPid,
      ...Object.fromEntries(pids.map((pid, i) => [i === 0 ? 'node' : `node${i}`, pid])),
    };
    return measure(this.#load, { targets, ...span, ...(rate !== undefined && { rate }) }, watched);
  }

  /** Load on a baseline server: R1 `/echo`, R2 `/insert`. */
  async loadStock(
    path: '/echo' | '/insert',
    { connections, rate }: { connections: number; rate?: number },
  ): Promise<Block> {
    const target: Target = {
      port: this.#stockPort,
      method: 'POST',
      path,
      headers: {},
      connections,
    };
    const block = await this.runLoad([target], {
      pids: [this.#stock.pid ?? 0],
      ...(rate !== undefined && { rate }),
    });
    return requireStatuses(block, ['200']);
  }

  /** The address of a database of this name. */
  uri(name: string): string {
    return buildDatabaseUri(this.#mongod, name);
  }

  async runDriver(
    order: Pick<DriverOrder, 'work' | 'organizationId'>,
    uri = this.uri('driver'),
  ): Promise<Block> {
    return measure(
      this.#driver,
      { ...order, uri, ...this.span },
      { mongod: this.#mongodPid, node: this.#driver.pid ?? 0 },
    );
  }
}

/** Instances, the organisations on them, and load on both. */
export class Scene {
  readonly stage: Stage;
  readonly organizations: readonly Bench[];
  /** Connection string of the database. */
  readonly uri: string;
  readonly #apps: readonly App[];

  constructor(
    stage: Stage,
    {
      uri,
      apps,
      organizations,
    }: { uri: string; apps: readonly App[]; organizations: readonly Bench[] },
  ) {
    this.stage = stage;
    this.organizations = organizations;
    this.uri = uri;
    this.#apps = apps;
  }

  /** URL of the first instance. */
  get url(): string {
    return `http://127.0.0.1:${this.#apps[0]?.port}`;
  }

  /** The process of the first instance. */
  get pid(): number {
    return getPid(this.#apps[0] as App);
  }

  /** Decisions of the first organisations on the first instances; connections are spread evenly. */
  async runIngestion({
    connections,
    instances = 1,
    organizations = 1,
    rate,
    span,
  }: {
    connections: number;
    instances?: number;
    organizations?: number;
    rate?: number;
    /** Time span; unset: that of the stage. */
    span?: Span;
  }): Promise<Block> {
    const apps = this.#apps.slice(0, instances);
    const some = this.organizations.slice(0, organizations);
    const each = connections / instances / organizations;
    const targets = apps.flatMap(({ port }) =>
      some.map(({ key }): Target => ({
        port,
        method: 'POST',
        path: '/api/v1/traces',
        headers: { 'X-API-Key': key },
        connections: each,
      })),
    );
    const block = await this.stage.runLoad(targets, {
      pids: apps.map(getPid),
      ...(rate !== undefined && { rate }),
      ...(span && { span }),
    });
    return requireStatuses(block, ['201', '202', '403']);
  }

  /** Decisions of the first organisation in batches; the figures are those of decisions. */
  async runBatches({ connections, batch }: { connections: number; batch: number }): Promise<Block> {
    const [app] = this.#apps;
    const headers = { 'X-API-Key': this.organizations[0]?.key ?? '' };
    const path = '/api/v1/traces/batch';
    const port = app?.port ?? 0;
    const target: Target = { port, method: 'POST', path, headers, connections, batch };
    const pids = this.#apps.slice(0, 1).map(getPid);
    const block = requireStatuses(await this.stage.runLoad([target], { pids }), ['200']);
    const cpuUs = Object.fromEntries(
      Object.entries(block.cpuUs).map(([name, us]) => [name, us / batch]),
    );
    const [operations, perSecond] = [block.operations * batch, block.perSecond * batch];
    return { ...block, operations, perSecond, cpuUs };
  }

  /** Resolves when the consumers have caught up, or after a timeout: their work is not measured. */
  async settle(): Promise<void> {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    const until = performance.now() + SETTLE_MS;
    while (performance.now() < until) {
      const answer = await fetch(`${this.url}/metrics`, { headers });
      const lags = (await answer.text()).match(/^assay_consumer_lag_entries.*$/gm) ?? [];
      if (lags.length > 0 && lags.every((lag) => lag.endsWith(' 0'))) return;
      await sleep(SETTLE_POLL_MS);
    }
  }

  /** How many entries the chain of the first organisation has. */
  async countDecisions(): Promise<number> {
    const token = this.organizations[0]?.token ?? '';
    const status = await callApi(`${this.url}/api/v1/hash-chain/status`, { method: 'GET', token });
    return status.lastSequence;
  }

  /** The newest 200 decisions of the first organisation, over and over. */
  listDecisions(): Promise<Block> {
    return this.runRequest('/api/v1/traces?limit=200');
  }

  /** One request of the first organisation's owner, over and over. `statuses`: the answers that are expected. */
  async runRequest(path: string, statuses: readonly string[] = ['200']): Promise<Block> {
    const [app] = this.#apps;
    const headers = { Authorization: `Bearer ${this.organizations[0]?.token}` };
    const target: Target = { port: app?.port ?? 0, method: 'GET', path, headers, connections: 1 };
    return requireStatuses(
      await this.stage.runLoad([target], { pids: this.#apps.slice(0, 1).map(getPid) }),
      statuses,
    );
  }

  /** The same 200 documents through the bare driver. */
  listByDriver(): Promise<Block> {
    return this.stage.runDriver(
      { work: 'list', organizationId: this.organizations[0]?.organizationId ?? '' },
      this.uri,
    );
  }

  /** Verifies the chain of the first organisation and exports it, in turns, for as long as the work takes. */
  async runWhileProving(work: () => Promise<Block>): Promise<Block> {
    const headers = { Authorization: `Bearer ${this.organizations[0]?.token}` };
    let isDone = false;
    const proving = (async () => {
      for (let turn = 0; !isDone; turn++) {
        const [method, path] = turn % 2 === 0 ? ['POST', 'verify'] : ['GET', 'export'];
        const url = `${this.url}/api/v1/hash-chain/${path}`;
        const answer = await fetch(url, { method, headers });
        if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
        for await (const _chunk of answer.body ?? []);
      }
    })();
    const [block] = await Promise.all([work().finally(() => (isDone = true)), proving]);
    return block;
  }

  /** `/health` every 5 ms while one request after another of a kind is sent, and the MB that they add at most. */
  async runWhileAttacked(attack: Attack): Promise<Block & { growthMb: number }> {
    const app = this.#apps[0] as App;
    const pid = getPid(app);
    let isDone = false;
    const sendOne = (): Promise<void> =>
      sendAttack(app.port, attack, this.organizations[0] as Bench);
    for (let warm = 0; warm < ATTACK_WARM; warm++) await sendOne();
    const before = readMemory(pid).now;
    forgetPeak(pid);
    const attacking = (async () => {
      while (!isDone) await sendOne();
    })();
    const target: Target = { port: app.port, method: 'GET', path: '/health', ...HEALTH };
    const seconds = this.stage.span.seconds / 2;
    const span = { warmUp: seconds / 4, seconds };
    const block = await this.stage.runLoad([target], { pids: [pid], rate: HEALTH_RATE, span });
    isDone = true;
    await attacking;
    return { ...requireStatuses(block, ['200']), growthMb: readMemory(pid).most - before };
  }

  async close(): Promise<void> {
    await Promise.all(this.#apps.map(({ child }) => stopChild(child)));
    const client = await mongoose.mongo.MongoClient.connect(this.uri);
    await client.db().dropDatabase();
    await client.close();
  }
}

const SETTLE_MS = 20_000;
const SETTLE_POLL_MS = 200;
const ATTACK_WARM = 5;
const HEALTH_RATE = 200;
const HEALTH = { headers: {}, connections: 16 };

const getPid = ({ child }: App): number => child.pid ?? 0;

/** @throws Error when there was any other status */
export function requireStatuses(block: Block, statuses: readonly string[]): Block {
  const others = Object.entries(block.statuses).filter(([status]) => !statuses.includes(status));
  if (others.length > 0) throw new Error(`answers: ${JSON.stringify(block.statuses)}`);
  return block;
}

function buildDatabaseUri(mongod: EmbeddedMongod, name: string): string {
  const uri = new URL(mongod.uri);
  uri.pathname = `/${name}`;
  return uri.href;
}

async function startServer(
  uri: string,
  { profile, env }: { profile: string | undefined; env: Readonly<Record<string, string>> },
): Promise<App> {
  const port = await findFreePort();
  const nodeArgs =
    profile === undefined ? NODE_ARGS : [...NODE_ARGS, '--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = start('dist/server.js', {
    env: { ...SERVER_ENV, ...env, PORT: String(port), MONGODB_URI: uri },
    nodeArgs,
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error('the server has ended before it answered');
    const ready = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null);
    if (ready?.ok) return { port, child };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
