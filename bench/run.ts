// `npm run bench [row ...]`: measures Assay against stock Express and the bare driver; prints and keeps the figures.
import { parseArgs } from 'node:util';
import { replayAgentDojo } from './agentdojo/run.ts';
import { groups } from './groups.ts';
import { measureLoopbackMs } from './in-process/loopback.ts';
import type { Group, Outcome, Plan } from './pairs.ts';
import { measureBusyShare, type Block } from './processes.ts';
import {
  computeMedian,
  readResults,
  rows,
  renderTable,
  writeResults,
  type RowName,
} from './rows.ts';
import { Stage } from './stage.ts';

const HELP = `npm run bench -- [row ...] [--full] [--pairs 3] [--seconds 4] [--entries 50000] [--input FILE] [--profile FOLDER]

  row ...     only these rows; the others keep their figures
  agentdojo   instead of rows: what attacks of AgentDojo come to (bench/agentdojo/README.md)
  --full      7 pairs of 10 s, a chain of a million entries: most of an hour
  --pairs     pairs of blocks in ABBA order
  --seconds   length of a block, after a warm-up of a third of it
  --entries   length of the chain that is verified and exported
  --input     decisions to post, one a line, .gz or plain; else the project's sample
  --profile   folder for CPU profiles of the server
Rows: ${Object.keys(rows).join(' ')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    pairs: { type: 'string' },
    seconds: { type: 'string' },
    entries: { type: 'string' },
    input: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const plan: Plan = {
  pairs: Number(values.pairs ?? (values.full ? 7 : 3)),
  entries: Number(values.entries ?? (values.full ? 1_000_000 : 50_000)),
};
const seconds = Number(values.seconds ?? (values.full ? 10 : 4));

/** Measures a group and keeps its figures; they are doubtful if other processes were busy by more than a tenth. */
async function runGroup(stage: Stage, group: Group): Promise<void> {
  const before = await measureBusyShare(1);
  const { pairs, sides }: Outcome = await group.measure(stage, plan);
  const busyAround = roundFigure(Math.max(before, await measureBusyShare(1)));
  const results = readResults();
  for (const name of group.rows) {
    const figures = (pairs[name] ?? []).map(roundFigure);
    const did = sides && { sides: { a: toShownFigures(sides.a), b: toShownFigures(sides.b) } };
    results[name] = {
      ...rows[name],
      figure: computeMedian(figures),
      pairs: figures,
      busyAround,
      ...did,
    };
    console.error(`${name}: ${figures.join(' ')} (others used ${Math.round(busyAround * 100)} %)`);
    if (did) console.error(`  ${JSON.stringify(did.sides.a)}\n  ${JSON.stringify(did.sides.b)}`);
  }
  writeResults(results);
}

function toShownFigures({ perSecond, p50, p99, cpuUs, statuses }: Block): Record<string, number> {
  const cpu = Object.entries(cpuUs).map(
    ([name, us]) => [`${name} CPU us`, roundFigure(us)] as const,
  );
  const answers = Object.entries(statuses).map(
    ([status, count]) => [`status ${status}`, count] as const,
  );
  const figures = {
    perSecond: roundFigure(perSecond),
    p50: roundFigure(p50),
    p99: roundFigure(p99),
  };
  return { ...figures, ...Object.fromEntries([...cpu, ...answers]) };
}

function roundFigure(value: number): number {
  return Number(value.toPrecision(4));
}

async function runBenchmark(): Promise<void> {
  if (values.help) return console.log(HELP);
  const isReplay = positionals.join() === 'agentdojo';
  const unknown = positionals.filter((name) => !(name in rows) && !isReplay);
  if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(' ')}\n${HELP}`);
  const isWanted = (name: RowName): boolean =>
    positionals.length === 0 || positionals.includes(name);
  const loopback = await measureLoopbackMs();
  if (loopback > 0.1)
    console.error(
      `1.6 KB take ${loopback.toFixed(3)} ms over the loopback: it is shaped, or others are busy.`,
    );
  const span = { warmUp: Math.min(3, seconds / 3), seconds };
  const stage = await Stage.openStage({ input: values.input, profile: values.profile, span });
  try {
    if (isReplay) return await replayAgentDojo(stage);
    for (const group of groups) if (group.rows.some(isWanted)) await runGroup(stage, group);
  } finally {
    await stage.close();
  }
  console.log(renderTable(readResults()));
}

await runBenchmark();
