// Defines the comparisons: pairs of blocks in ABBA order, and the rows that their figures give.
import { besideTrouble } from './beside/beside.ts';
import { measureLog } from './beside/log.ts';
import { controls } from './beside/control.ts';
import { measureDeliveries } from './beside/deliveries.ts';
import { measureReplay } from './beside/replay.ts';
import { measureStreams } from './beside/streams.ts';
import { measureWaits } from './beside/waits.ts';
import { fillChain, measureExport, measureVerify, measureWalk } from './chain/chain.ts';
import { measureHostile } from './hostile/hostile.ts';
import { measureGuard } from './agents/guard.ts';
import { measureMemory } from './in-process/memory.ts';
import { measurePolicies } from './in-process/policies.ts';
import { runExports } from './agents/otlp.ts';
import {
  type Group,
  measurePairs,
  p99,
  type Ratio,
  type Ratios,
  compareThroughput,
  warmUp,
} from './pairs.ts';
import type { Block } from './processes.ts';
import type { RowName } from './rows.ts';
import type { Scene } from './stage.ts';
import { measureStarts } from './start.ts';
import { severalWorkers } from './beside/workers.ts';

const compareNodeCpu: Ratio = ({ a, b }) => (a.cpuUs.node ?? NaN) / (b.cpuUs.node ?? NaN);
const p50: Ratio = ({ a, b }) => a.p50 / b.p50;

interface Comparison {
  ratios: Ratios;
  instances?: number;
  organizations?: number;
  /** Runs before the first pair. */
  prepare?(scene: Scene): Promise<void>;
  a(scene: Scene): Promise<Block>;
  b(scene: Scene): Promise<Block>;
}

const MANY = { connections: 64 };
const BATCHES = { connections: 8, batch: 64 };

/** Creates a group whose two sides have instances of their own. */
function compare({
  ratios,
  instances = 1,
  organizations = 1,
  prepare,
  ...sides
}: Comparison): Group {
  return {
    rows: Object.keys(ratios) as RowName[],
    async measure(stage, { pairs }) {
      const scene = await stage.openScene({ instances, organizations });
      try {
        await warmUp(() => scene.runIngestion({ ...MANY, instances, organizations }));
        await prepare?.(scene);
        const loads = { a: () => sides.a(scene), b: () => sides.b(scene) };
        return await measurePairs(ratios, pairs, loads);
      } finally {
        await scene.close();
      }
    },
  };
}

/** Half of the maximum rates, measured once before the pairs. */
const half = { ingest: 0, stock: 0 };
async function findHalf(scene: Scene): Promise<void> {
  half.ingest = (await scene.runIngestion(MANY)).perSecond / 2;
  half.stock = (await scene.stage.loadStock('/insert', MANY)).perSecond / 2;
}
const runAtHalfRate = (scene: Scene): Promise<Block> =>
  scene.runIngestion({ connections: 256, rate: half.ingest });

export const groups: readonly Group[] = [
  compare({
    ratios: { 'ingest/R1': compareThroughput, 'node-cpu': compareNodeCpu },
    a: (scene) => scene.runIngestion(MANY),
    b: ({ stage }) => stage.loadStock('/echo', MANY),
  }),
  compare({
    ratios: { 'ingest/R2': compareThroughput },
    a: (scene) => scene.runIngestion(MANY),
    b: ({ stage }) => stage.loadStock('/insert', MANY),
  }),
  compare({
    ratios: { 'ingest/R3': compareThroughput },
    a: (scene) => scene.runIngestion(MANY),
    b: ({ stage }) => stage.runDriver({ work: 'insertOne' }),
  }),
  compare({
    ratios: { 'ingest/R4': compareThroughput },
    a: (scene) => scene.runIngestion(MANY),
    b: ({ stage }) => stage.runDriver({ work: 'insertMany' }),
  }),
  compare({
    ratios: { 'batch/R4': compareThroughput },
    prepare: async (scene) => void (await scene.runBatches(BATCHES)),
    a: (scene) => scene.runBatches(BATCHES),
    b: ({ stage }) => stage.runDriver({ work: 'insertMany' }),
  }),
  compare({
    ratios: { 'batch/one': compareThroughput },
    prepare: async (scene) => void (await scene.runBatches(BATCHES)),
    a: (scene) => scene.runBatches(BATCHES),
    b: (scene) => scene.runIngestion(MANY),
  }),
  compare({
    ratios: { 'otlp/R1': compareThroughput },
    prepare: async (scene) => void (await runExports(scene)),
    a: runExports,
    b: ({ stage }) => stage.loadStock('/echo', MANY),
  }),
  {
    rows: ['guard'],
    async measure(stage, { pairs }) {
      return { pairs: { guard: await measureGuard(stage, pairs) } };
    },
  },
  compare({
    ratios: { 'one/eight': compareThroughput },
    organizations: 8,
    a: (scene) => scene.runIngestion(MANY),
    b: (scene) => scene.runIngestion({ ...MANY, organizations: 8 }),
  }),
  compare({
    ratios: { '64/1': compareThroughput },
    a: (scene) => scene.runIngestion(MANY),
    b: (scene) => scene.runIngestion({ connections: 1 }),
  }),
  compare({
    ratios: { p50 },
    a: (scene) => scene.runIngestion({ connections: 1 }),
    b: ({ stage }) => stage.loadStock('/insert', { connections: 1 }),
  }),
  compare({
    ratios: { p99 },
    prepare: findHalf,
    a: runAtHalfRate,
    b: ({ stage }) => stage.loadStock('/insert', { connections: 256, rate: half.stock }),
  }),
  compare({
    ratios: { 'two/one': compareThroughput, 'two/one-p99': p99 },
    instances: 2,
    a: (scene) => scene.runIngestion({ ...MANY, instances: 2 }),
    b: (scene) => scene.runIngestion(MANY),
  }),
  ...severalWorkers,
  compare({
    ratios: { during: p99 },
    prepare: findHalf,
    a: (scene) => scene.runWhileProving(() => runAtHalfRate(scene)),
    b: runAtHalfRate,
  }),
  compare({
    ratios: { list: compareNodeCpu },
    a: (scene) => scene.listDecisions(),
    b: (scene) => scene.listByDriver(),
  }),
  {
    rows: ['health', 'health-rss'],
    async measure(stage) {
      const scene = await stage.openScene();
      try {
        await warmUp(() => scene.runIngestion(MANY));
        await scene.settle();
        const { ms, mb } = await measureHostile(scene);
        return { pairs: { health: [ms], 'health-rss': [mb] } };
      } finally {
        await scene.close();
      }
    },
  },
  ...besideTrouble,
  measureLog,
  ...controls,
  {
    rows: ['streams-rss'],
    measure: async (stage) => ({ pairs: { 'streams-rss': [await measureStreams(stage)] } }),
  },
  {
    rows: ['wait', 'wait-verdict'],
    async measure(stage) {
      const { cpuShare, verdictMs } = await measureWaits(stage);
      return { pairs: { wait: [cpuShare], 'wait-verdict': [verdictMs] } };
    },
  },
  {
    rows: ['start', 'idle-rss'],
    async measure(stage, { pairs }) {
      const { seconds, mb } = await measureStarts(stage, pairs);
      return { pairs: { start: seconds, 'idle-rss': mb } };
    },
  },
  {
    rows: ['deliveries'],
    measure: async (stage) => ({ pairs: { deliveries: [await measureDeliveries(stage)] } }),
  },
  {
    rows: ['replay'],
    measure: async (stage, plan) => ({ pairs: { replay: [await measureReplay(stage, plan)] } }),
  },
  {
    rows: ['policies'],
    measure: (_stage, { pairs }) =>
      Promise.resolve({
        pairs: { policies: Array.from({ length: pairs }, () => measurePolicies().ratio) },
      }),
  },
  {
    rows: ['memory'],
    async measure(stage, { pairs }) {
      const figures = await measureMemory(stage.uri('memory'), pairs);
      return { pairs: { memory: figures } };
    },
  },
  {
    rows: ['walk', 'verify', 'export', 'verify-rss', 'export-rss'],
    async measure(stage, { entries }) {
      const chain = await fillChain({ uri: stage.uri('chain'), database: 'chain', entries });
      const walk = await measureWalk(chain);
      const verify = await measureVerify(chain);
      const bundle = await measureExport(chain);
      const memory = { 'verify-rss': [verify.rssGrowthMb], 'export-rss': [bundle.rssGrowthMb] };
      const ratios = { walk: [walk.ratio], verify: [verify.ratio], export: [bundle.ratio] };
      return { pairs: { ...ratios, ...memory } };
    },
  },
];
