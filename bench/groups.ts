// What is compared with what: pairs of blocks, and the rows that are read off them.
import { measurePolicies } from './policies.ts';
import type { Block } from './processes.ts';
import type { RowName } from './rows.ts';
import type { Scene, Stage } from './stage.ts';

interface Sides {
  a: Block;
  b: Block;
}

/** A group under way. */
export interface Open {
  a(): Promise<Block>;
  b(): Promise<Block>;
  ratio(row: RowName, sides: Sides): number;
  close(): Promise<void>;
}

/** Rows that are read off the same blocks. */
export interface Group {
  rows: readonly RowName[];
  open(stage: Stage): Promise<Open>;
}

type Ratio = (sides: Sides) => number;
type Ratios = Partial<Record<RowName, Ratio>>;

const throughput: Ratio = ({ a, b }) => a.perSecond / b.perSecond;
const nodeCpu: Ratio = ({ a, b }) => (a.cpuUs.node ?? NaN) / (b.cpuUs.node ?? NaN);
const p50: Ratio = ({ a, b }) => a.p50 / b.p50;
const p99: Ratio = ({ a, b }) => a.p99 / b.p99;

interface Comparison {
  ratios: Ratios;
  instances?: number;
  organizations?: number;
  /** Before the first block. */
  prepare?(scene: Scene): Promise<void>;
  a(scene: Scene): Promise<Block>;
  b(scene: Scene): Promise<Block>;
}

const MANY = { connections: 64 };
/** Decisions after which the code of a server has come to its speed. */
const WARM = 10_000;

/** A comparison on instances of its own. */
function compare({ ratios, instances = 1, organizations = 1, prepare, a, b }: Comparison): Group {
  return {
    rows: Object.keys(ratios) as RowName[],
    async open(stage) {
      const scene = await stage.scene({ instances, organizations });
      for (let warm = 0; warm < WARM;) warm += (await scene.ingest({ ...MANY, instances, organizations })).operations;
      await prepare?.(scene);
      return {
        a: () => a(scene),
        b: () => b(scene),
        ratio: (row, sides) => ratios[row]?.(sides) ?? NaN,
        close: () => scene.close(),
      };
    },
  };
}

/** Half of the greatest rate, measured once before the pairs. */
function halfRates(): { ingest: number; stock: number; find(scene: Scene): Promise<void> } {
  const rates = {
    ingest: 0,
    stock: 0,
    async find(scene: Scene) {
      rates.ingest = (await scene.ingest({ connections: 64 })).perSecond / 2;
      rates.stock = (await scene.stage.stock('/insert', { connections: 64 })).perSecond / 2;
    },
  };
  return rates;
}
const half = halfRates();

export const groups: readonly Group[] = [
  compare({
    ratios: { 'ingest/R1': throughput, 'node-cpu': nodeCpu },
    a: (scene) => scene.ingest(MANY),
    b: ({ stage }) => stage.stock('/echo', MANY),
  }),
  compare({
    ratios: { 'ingest/R2': throughput },
    a: (scene) => scene.ingest(MANY),
    b: ({ stage }) => stage.stock('/insert', MANY),
  }),
  compare({
    ratios: { 'ingest/R3': throughput },
    a: (scene) => scene.ingest(MANY),
    b: ({ stage }) => stage.drive({ work: 'insertOne' }),
  }),
  compare({
    ratios: { 'ingest/R4': throughput },
    a: (scene) => scene.ingest(MANY),
    b: ({ stage }) => stage.drive({ work: 'insertMany' }),
  }),
  compare({
    ratios: { 'one/eight': throughput },
    organizations: 8,
    a: (scene) => scene.ingest(MANY),
    b: (scene) => scene.ingest({ ...MANY, organizations: 8 }),
  }),
  compare({
    ratios: { '64/1': throughput },
    a: (scene) => scene.ingest(MANY),
    b: (scene) => scene.ingest({ connections: 1 }),
  }),
  compare({
    ratios: { p50 },
    a: (scene) => scene.ingest({ connections: 1 }),
    b: ({ stage }) => stage.stock('/insert', { connections: 1 }),
  }),
  compare({
    ratios: { p99 },
    prepare: (scene) => half.find(scene),
    a: (scene) => scene.ingest({ connections: 256, rate: half.ingest }),
    b: ({ stage }) => stage.stock('/insert', { connections: 256, rate: half.stock }),
  }),
  compare({
    ratios: { 'two/one': throughput, 'two/one-p99': p99 },
    instances: 2,
    a: (scene) => scene.ingest({ ...MANY, instances: 2 }),
    b: (scene) => scene.ingest(MANY),
  }),
  compare({
    ratios: { list: nodeCpu },
    a: (scene) => scene.list(),
    b: (scene) => scene.listByDriver(),
  }),
  policies(),
];

/** Both engines run in this process, in alternating rounds of their own. */
function policies(): Group {
  const asBlock = (us: number): Block => ({
    operations: 1,
    seconds: 0,
    p50: 0,
    p99: 0,
    statuses: {},
    perSecond: 0,
    cpuUs: { node: us },
  });
  return {
    rows: ['policies'],
    open() {
      let measured = measurePolicies();
      return Promise.resolve({
        a: () => Promise.resolve(asBlock((measured = measurePolicies()).compiledUs)),
        b: () => Promise.resolve(asBlock(measured.interpretedUs)),
        ratio: (_row: RowName, sides: Sides) => nodeCpu(sides),
        close: () => Promise.resolve(),
      });
    },
  };
}
