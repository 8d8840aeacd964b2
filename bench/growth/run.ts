// `npm run bench:growth`: measures requests as one history grows, and ingestion as organisations become many.
import { parseArgs } from 'node:util';
import { warmUp } from '../pairs.ts';
import { Stage } from '../stage.ts';
import { measureKinds, formatFigure } from './kinds.ts';
import { createCopies, runIngestionInTurns } from './organizations.ts';

const HELP = `npm run bench:growth -- [--sizes 10000,100000] [--organizations 10,100] [--seconds 4]

  --sizes           decisions of one organisation, ascending; '': none
  --organizations   organisations; a thousand of them take turns
  --seconds         length of a block, after a warm-up of a third of it`;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000' },
    organizations: { type: 'string', default: '10,100' },
    seconds: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
});
const parseNumbers = (text: string): number[] => text.split(',').map(Number);
const seconds = Number(values.seconds);
const MANY = { connections: 64 };
/** Organisations that post, at most. */
const POSTING = 1_000;

/** One figure for each size. */
type Lines = Map<string, string[]>;

function noteFigure(lines: Lines, name: string, figure: string): void {
  lines.set(name, [...(lines.get(name) ?? []), figure]);
}

function formatMarkdown(heads: readonly string[], lines: Lines): string {
  const rows = [...lines].map(([name, figures]) => [name, ...figures]);
  const rule = ['---', ...heads.slice(1).map(() => '--:')];
  return [heads, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

async function measureHistory(stage: Stage, sizes: readonly number[]): Promise<string> {
  const lines: Lines = new Map();
  const scene = await stage.openScene();
  try {
    for (const size of sizes) {
      while ((await scene.countDecisions()) < size) await scene.runIngestion(MANY);
      await scene.settle();
      noteFigure(lines, 'ingestion, 64 connections', formatFigure(await scene.runIngestion(MANY)));
      await scene.settle();
      const stored = await scene.countDecisions();
      for (const { name, text } of await measureKinds(scene, stored)) noteFigure(lines, name, text);
      console.error(`${size} decisions measured, ${stored} stored`);
    }
  } finally {
    await scene.close();
  }
  return formatMarkdown(['', ...sizes.map((size) => size.toLocaleString('en'))], lines);
}

async function measureOrganizations(stage: Stage, counts: readonly number[]): Promise<string> {
  const lines: Lines = new Map();
  for (const count of counts) {
    const scene = await stage.openScene({ isPlain: true });
    try {
      const [registered] = scene.organizations;
      if (!registered) throw new Error('no organisation');
      const keys = await createCopies(scene.uri, registered, count);
      const posting = keys.slice(0, POSTING);
      await warmUp(() => runIngestionInTurns(scene, posting));
      await scene.settle();
      const name = `ingestion, ${POSTING.toLocaleString('en')} of them in turn`;
      noteFigure(lines, name, formatFigure(await runIngestionInTurns(scene, posting)));
      await scene.settle();
      const others = keys.slice(POSTING);
      const first = others.length > 0 ? formatFigure(await runIngestionInTurns(scene, others)) : '';
      noteFigure(lines, 'first decisions of others', first);
    } finally {
      await scene.close();
    }
  }
  return formatMarkdown(
    ['', ...counts.map((count) => `${count.toLocaleString('en')} organisations`)],
    lines,
  );
}

async function runGrowth(): Promise<void> {
  if (values.help) return console.log(HELP);
  const span = { warmUp: seconds / 3, seconds };
  const stage = await Stage.openStage({ input: undefined, profile: undefined, span });
  try {
    if (values.sizes) console.log(await measureHistory(stage, parseNumbers(values.sizes)));
    if (values.organizations)
      console.log(await measureOrganizations(stage, parseNumbers(values.organizations)));
  } finally {
    await stage.close();
  }
}

await runGrowth();
