// What a newcomer types, timed: from nothing to a held act that is approved, done once and proved. Below 60 s.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const ROOT = join(import.meta.dirname, '..');
const ASSAY = join(ROOT, 'packages/cli/bin/assay.mjs');
const SHOP = ['--import', import.meta.resolve('tsx'), join(ROOT, 'test/fixtures/mcp/shop.ts')];
const LIMIT_SECONDS = 60;
const REFUND = { order: 'A-17', to: 'jo.doe@example.com', amount: 90 };

const began = performance.now();
const countSeconds = (): number => (performance.now() - began) / 1000;

function printStep(what: string): void {
  process.stdout.write(`${countSeconds().toFixed(1).padStart(5)} s  ${what}\n`);
}

/** A newcomer's machine: an empty folder, and nothing of Assay's anywhere. */
async function createMachine() {
  const folder = await mkdtemp(join(tmpdir(), 'assay-five-minutes-'));
  const { PATH = '', MONGOD_BINARY } = process.env;
  const environment: Record<string, string> = {
    PATH,
    HOME: folder,
    ASSAY_DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
    ...(MONGOD_BINARY !== undefined && { MONGOD_BINARY }),
  };
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [ASSAY, ...args], { cwd: folder, env: environment });
  return {
    folder,
    environment,
    start,
    /** Runs a command to its end. @throws Error with what it printed when it fails */
    async run(...args: string[]): Promise<string> {
      const child = start(args);
      const [out, problem] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
      if (child.exitCode === null) await once(child, 'exit');
      if (child.exitCode !== 0) throw new Error(`assay ${args.join(' ')}: ${out}${problem}`);
      return out;
    },
  };
}
type Machine = Awaited<ReturnType<typeof createMachine>>;

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when `assay dev` has printed what a newcomer needs. */
async function startService(machine: Machine, port: number): Promise<ChildProcess> {
  const service = machine.start(['dev', '--port', String(port)]);
  let printed = '';
  for (const stream of [service.stdout!, service.stderr!])
    stream.on('data', (data: Buffer) => (printed += String(data)));
  while (!printed.includes('Decide:')) {
    const which = await Promise.race([
      once(service.stdout!, 'data').then(() => 'more'),
      once(service, 'exit').then(() => 'ended'),
    ]);
    if (which === 'ended') throw new Error(`assay dev ended: ${printed}`);
  }
  return service;
}

/** Connects a client to the shop through the proxy. */
async function connectClient({ folder, environment }: Machine): Promise<Client> {
  const client = new Client({ name: 'newcomer', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ASSAY, 'mcp-proxy', '--', process.execPath, ...SHOP],
    env: environment,
    cwd: folder,
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

async function runWalk(machine: Machine): Promise<void> {
  printStep('assay mcp-proxy -- node shop.ts');
  const client = await connectClient(machine);
  try {
    let announce: (decision: string) => void = () => undefined;
    const held = new Promise<string>((resolve) => (announce = resolve));
    const calling = client.callTool(
      { name: 'issue_refund', arguments: REFUND },
      { onprogress: ({ message = '' }) => announce(/trc_[0-9a-f]{32}/.exec(message)?.[0] ?? '') },
    );
    const decision = await Promise.race([held, calling.then(() => '')]);
    if (decision === '') throw new Error('The refund was not held');
    printStep(`the agent's refund is held: ${decision}`);
    await machine.run('review', 'approve', decision, '--reason', 'Photo of the damage seen');
    printStep(`assay review approve ${decision}`);
    const { content } = (await calling) as { content: { text?: string }[] };
    if (content[0]?.text !== 'paid 90') throw new Error(`The shop said ${content[0]?.text}`);
    printStep(`the agent has its result: ${content[0].text}`);
  } finally {
    await client.close();
  }
  const exported = await machine.run('export', '-o', 'bundle.ndjson', '--json');
  const { pin } = JSON.parse(exported) as { pin: string };
  const verified = await machine.run('verify-bundle', 'bundle.ndjson', '--pin', pin);
  if (!verified.startsWith('INTACT')) throw new Error(verified);
  printStep('assay export, assay verify-bundle: INTACT');
}

const machine = await createMachine();
let service: ChildProcess | undefined;
try {
  printStep('assay dev');
  service = await startService(machine, await findPort());
  printStep('the service is ready, with an owner, a key and four policies');
  await runWalk(machine);
} finally {
  if (service && service.exitCode === null) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  await rm(machine.folder, { recursive: true, force: true });
}
const seconds = countSeconds();
const isFast = seconds < LIMIT_SECONDS;
process.stdout.write(
  `${isFast ? 'Done' : 'Too slow'}: ${seconds.toFixed(1)} s of ${LIMIT_SECONDS}\n`,
);
process.exitCode = isFast ? 0 : 1;
