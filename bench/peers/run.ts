// `npm run bench:peers`: compares Assay with alternatives on the same bodies and policies. Prints Markdown tables.
import { parseArgs } from 'node:util';
import { findFreePort } from '@assay/embedded-mongod';
import { warmUp } from '../pairs.ts';
import { stopChild, start, waitForMessage, type Block } from '../processes.ts';
import { computeMedian } from '../rows.ts';
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

async function startPeer(stage: Stage, kind: 'fastify' | 'plain') {
  const port = await findFreePort();
  const child = start('bench/peers/server.ts', { args: [String(port), kind, stage.uri(kind)] });
  await waitForMessage(child, 'ready');
  const path = { method: 'POST', path: '/', headers: {} } as const;
  const target: Target = { port, connections: CONNECTIONS, ...path };
  const load: Contestant = () => stage.runLoad([target], { pids: [child.pid ?? 0] });
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
  const stage = await Stage.openStage({ input: undefined, profile: undefined, span });
  const scene = await stage.openScene();
  const peers = [await startPeer(stage, 'fastify'), await startPeer(stage, 'plain')] as const;
  try {
    const [fastify, plain] = peers;
    return renderServerTable(
      await rounds({
        'Express that echoes the body': () =>
          stage.loadStock('/echo', { connections: CONNECTIONS }),
        'Fastify that echoes the body': fastify.load,
        'Express and `create` of a Mongoose model, same indexes': plain.load,
        'Assay: judged, scrubbed, sealed, stored': () =>
          scene.runIngestion({ connections: CONNECTIONS }),
      }),
    );
  } finally {
    await Promise.all(peers.map(({ child }) => stopChild(child)));
    await scene.close();
    await stage.close();
  }
}

function renderServerTable(seen: ReadonlyMap<string, readonly Block[]>): string {
  const roundMedian = (blocks: readonly Block[], read: (block: Block) => number): number =>
    Math.round(computeMedian(blocks.map(read)));
  return formatMarkdown(
    ['64 connections', 'a second', 'Node us', 'mongod us', 'p99 ms'],
    [...seen].map(([name, blocks]) => [
      name,
      roundMedian(blocks, ({ perSecond }) => perSecond),
      roundMedian(blocks, ({ cpuUs }) => cpuUs['node'] ?? NaN),
      roundMedian(blocks, ({ cpuUs }) => cpuUs['mongod'] ?? NaN),
      roundMedian(blocks, ({ p99 }) => p99),
    ]),
  );
}

async function measureRules(): Promise<string> {
  const columns: Record<string, number>[] = [];
  for (const policies of POLICIES) columns.push(await measurePolicyPeers(policies));
  const names = Object.keys(columns[0] ?? {});
  return formatMarkdown(
    ['us for each decision', ...POLICIES.map((count) => `${count} policies`)],
    names.map((name) => [name, ...columns.map((column) => Math.round(column[name] ?? NaN))]),
  );
}

function formatMarkdown(heads: readonly string[], lines: readonly (string | number)[][]): string {
  const rule = ['---', ...heads.slice(1).map(() => '--:')];
  return [heads, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

async function runPeers(): Promise<void> {
  if (values.help) return console.log(HELP);
  console.log(await measureRules());
  console.log(`\n${await measureServers()}`);
}

await runPeers();
