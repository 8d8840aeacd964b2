// `npm run bench [row ...]`: measures Assay against stock Express and the bare driver, prints the table and keeps the figures.
import { parseArgs } from 'node:util';
import { groups, type Group } from './groups.ts';
import { busyShare } from './processes.ts';
import { median, readResults, rows, table, writeResults, type Result, type RowName } from './rows.ts';
import { loopbackMs, Stage } from './stage.ts';

const HELP = `npm run bench -- [row ...] [--pairs 3] [--seconds 4] [--input FILE] [--profile FOLDER] [--full]

  row ...     only these rows; the others keep their figures
  --pairs     pairs of blocks in ABBA order (7 with --full)
  --seconds   length of a block, after a warm-up of a third of it (10 with --full)
  --input     decisions to post, one a line, .gz or plain; else made-up ones
  --profile   folder for CPU profiles of the server
Rows: ${Object.keys(rows).join(' ')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string' },
    seconds: { type: 'string' },
    input: { type: 'string' },
    profile: { type: 'string' },
    full: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const pairs = Number(values.pairs ?? (values.full ? 7 : 3));
const seconds = Number(values.seconds ?? (values.full ? 10 : 4));

async function runGroup(stage: Stage, group: Group): Promise<void> {
  const busyBefore = await busyShare(1);
  const open = await group.open(stage);
  const ratios = new Map<RowName, number[]>();
  const sides = { a: {}, b: {} };
  try {
    for (let pair = 0; pair < pairs; pair++) {
      const first = pair % 2 === 0 ? 'a' : 'b';
      const blocks = { [first]: await open[first]() };
      const second = first === 'a' ? 'b' : 'a';
      blocks[second] = await open[second]();
      const { a, b } = blocks;
      if (!a || !b) continue;
      for (const name of group.rows) ratios.set(name, [...(ratios.get(name) ?? []), open.ratio(name, { a, b })]);
      Object.assign(sides, { a: shown(a), b: shown(b) });
      console.error(
        `  ${group.rows.join(' ')} ${pair + 1}/${pairs}\n    a ${JSON.stringify(sides.a)}\n    b ${JSON.stringify(sides.b)}`,
      );
    }
  } finally {
    await open.close();
  }
  const results = readResults();
  for (const [name, measured] of ratios) {
    const result: Result = { ...rows[name], figure: median(measured), pairs: measured, busyBefore, sides };
    results[name] = result;
  }
  writeResults(results);
}

function shown(figures: object): Record<string, number> {
  const flat = Object.entries(figures).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, of]) => [`${name}.${inner}`, of])
      : [[name, value]],
  );
  return Object.fromEntries(flat.map(([name, value]) => [name, Number(Number(value).toPrecision(4))]));
}

async function main(): Promise<void> {
  if (values.help) return console.log(HELP);
  const unknown = positionals.filter((name) => !(name in rows));
  if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(' ')}\n${HELP}`);
  const wanted = positionals.length === 0 ? Object.keys(rows) : positionals;
  const loopback = await loopbackMs();
  if (loopback > 0.1)
    console.error(`The loopback takes ${loopback.toFixed(3)} ms for 1.6 KB: it is shaped, or the machine is busy.`);
  const stage = await Stage.open({
    input: values.input,
    profile: values.profile,
    span: { warmUp: Math.min(3, seconds / 3), seconds },
  });
  try {
    for (const group of groups) if (group.rows.some((name) => wanted.includes(name))) await runGroup(stage, group);
  } finally {
    await stage.close();
  }
  console.log(table(readResults()));
}

await main();
