// `npm run bench:peers`: compares Assay with alternatives on the same bodies and policies. Prints Markdown tables.
import { parseArgs } from 'node:util';
import { freePort } from '../../src/embedded-db/mongod-process.ts';
import { warmUp } from '../pairs.ts';
import { end, start, told, type Block } from '../processes.ts';
import { median } from '../rows.ts';
import { Stage } from '../stage.ts';
import type { Target } from '../wire.ts';
import { measurePolicyPeers } from './policies.ts';

const HELP = `npm run bench:peers -- [--rounds 3] [--seconds 4]

  --rounds    blocks of each, in turns
  --seconds   length of a block, after a warm-up of a third of it`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
});
const CONNECTIONS = 64;
const POLICIES = [100, 1_000];

type Contestant = () => Promise<Block>;

async function peer(stage: Stage, kind: 'fastify' | 'plain') {
  const port = await freePort();
  const child = start('bench/peers/server.ts', { args: [String(port), kind, stage.uri(kind)] });
  await told(child, 'ready');
  const path = { method: 'POST', path: '/', headers: {} } as const;
  const target: Target = { port, connections: CONNECTIONS, ...path };
  const load: Contestant = () => stage.load([target], { pids: [child.pid ?? 0] });
  return { child, load };
}

/** Measures the contestants in turns, after all are warm. */
async function rounds(contestants: Readonly<Record<string, Contestant>>) {
  const seen = new Map<string, Block[]>(Object.keys(contestants).map((name) => [name, []]));
  for (const load of Object.values(contestants)) await warmUp(load);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [name, load] of Object.entries(contestants)) seen.get(name)?.push(await load());
  return seen;
}

async function measureServers(): Promise<string> {
  const seconds = Number(values.seconds);
  const span = { warmUp: seconds / 3, seconds };
  const stage = await Stage.open({ input: undefined, profile: undefined, span });
  const scene = await stage.scene();
  const peers = [await peer(stage, 'fastify'), await peer(stage, 'plain')] as const;
  try {
    const [fastify, plain] = peers;
    return serverTable(
      await rounds({
        'Express that echoes the body': () => stage.stock('/echo', { connections: CONNECTIONS }),
        'Fastify that echoes the body': fastify.load,
        'Express and `create` of a Mongoose model, same indexes': plain.load,
        'Assay: judged, scrubbed, sealed, stored': () => scene.ingest({ connections: CONNECTIONS }),
      }),
    );
  } finally {
    await Promise.all(peers.map(({ child }) => end(child)));
    await scene.close();
    await stage.close();
  }
}

function serverTable(seen: ReadonlyMap<string, readonly Block[]>): string {
  const middle = (blocks: readonly Block[], read: (block: Block) => number): number =>
    Math.round(median(blocks.map(read)));
  return markdown(
    ['64 connections', 'a second', 'Node us', 'mongod us', 'p99 ms'],
    [...seen].map(([name, blocks]) => [
      name,
      middle(blocks, ({ perSecond }) => perSecond),
      middle(blocks, ({ cpuUs }) => cpuUs['node'] ?? NaN),
      middle(blocks, ({ cpuUs }) => cpuUs['mongod'] ?? NaN),
      middle(blocks, ({ p99 }) => p99),
    ]),
  );
}

async function measureRules(): Promise<string> {
  const columns: Record<string, number>[] = [];
  for (const policies of POLICIES) columns.push(await measurePolicyPeers(policies));
  const names = Object.keys(columns[0] ?? {});
  return markdown(
    ['us for each decision', ...POLICIES.map((count) => `${count} policies`)],
    names.map((name) => [name, ...columns.map((column) => Math.round(column[name] ?? NaN))]),
  );
}

function markdown(heads: readonly string[], lines: readonly (string | number)[][]): string {
  const rule = ['---', ...heads.slice(1).map(() => '--:')];
  return [heads, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

async function main(): Promise<void> {
  if (values.help) return console.log(HELP);
  console.log(await measureRules());
  console.log(`\n${await measureServers()}`);
}

await main();
