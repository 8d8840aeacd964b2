// The consumers of a chain: woken by the appender, swept by a job; each effect exactly once, on any instance, after any crash.
import type { Chain } from '../chains.ts';
import { ConsumerRunner, type RunnerDeps } from './consumer-runner.ts';
import type { Consumer } from './consumer.ts';
import { TailReader, type MemberProjection } from './tail-reader.ts';
import { objectId } from '../ledger.model.ts';
import type { Probe } from '../probe.ts';
import { headSequences } from './head-sequences.ts';
import type { Timer } from '../timer.ts';
import { Debouncer } from './debouncer.ts';

export interface ConsumersDeps extends Omit<RunnerDeps, 'probe'> {
  chain: Chain;
  consumers: readonly Consumer[];
  timer: Timer;
  probe?: Probe;
}

export interface Consumers {
  /** Creates the cursors of a new organisation; joins the current transaction. `startAt`: the last sequence without effects. */
  cursorsFor(organizationId: string, startAt: number): Promise<void>;
  /** There are new entries; debounced per organisation. */
  wake(organizationId: string): void;
  /** Compares all cursors with the chains, creates missing ones, wakes organisations that are behind. */
  sweep(): Promise<void>;
  /** Runs everything to the end of the chains now; for tests and scripts. */
  runOnce(): Promise<void>;
  /** By consumer: how many entries the slowest organisation is behind, as of the last sweep. */
  lag(): Readonly<Record<string, number>>;
  /** Waits for what is running and starts nothing more. */
  stop(): Promise<void>;
}

/** The consumers of one chain. */
export function createConsumers(options: ConsumersDeps): Consumers {
  const { connection, chain, consumers, timer, cursors } = options;
  const runner = new ConsumerRunner({ ...options, probe: options.probe ?? (() => {}) });
  const debouncer = new Debouncer(timer, runAll);
  const projection = Object.assign(
    {},
    ...consumers.map((consumer) => consumer.projection),
  ) as MemberProjection;
  let lags: Readonly<Record<string, number>> = {};

  const tailOf = (organizationId: string): TailReader =>
    new TailReader({ connection, chain, organizationId, projection });

  async function runAll(organizationId: string): Promise<void> {
    const tail = tailOf(organizationId);
    for (const consumer of consumers) {
      const end = await runner.run(consumer, tail);
      if (end.kind === 'more') debouncer.wake(organizationId);
      if (end.kind === 'paused') debouncer.wakeLater(organizationId, end.ms);
    }
  }

  async function catchUp(consumer: Consumer, organizationId: string): Promise<void> {
    while ((await runner.run(consumer, tailOf(organizationId))).kind !== 'caught-up')
      runner.retryNow();
  }

  async function findBehind(): Promise<string[]> {
    const found = await compareCursors(options);
    lags = found.lags;
    return found.behind;
  }

  return {
    async cursorsFor(organizationId, startAt) {
      await cursors.insertMany(
        consumers.map(({ name }) => ({ consumer: name, organizationId, sequence: startAt })),
      );
    },
    wake: (organizationId) => {
      debouncer.wake(organizationId);
    },
    async sweep() {
      for (const organizationId of await findBehind()) debouncer.wake(organizationId);
    },
    async runOnce() {
      // More than one round where a debounced run moves the same cursors meanwhile.
      for (let behind = await findBehind(); behind.length > 0; behind = await findBehind()) {
        for (const organizationId of behind) {
          for (const consumer of consumers) await catchUp(consumer, organizationId);
        }
      }
    },
    lag: () => lags,
    stop: () => debouncer.stop(),
  };
}

/** Which organisations some consumer is behind in, and by how much; creates missing cursors at the start of the chain. */
async function compareCursors({ connection, chain, cursors, consumers }: ConsumersDeps) {
  const heads = await headSequences(connection.collection(chain.collection));
  const reached = await readCursors(cursors);
  const lags = Object.fromEntries(consumers.map(({ name }) => [name, 0]));
  const behind = new Set<string>();
  for (const [organizationId, head] of heads) {
    for (const { name } of consumers) {
      const at = reached.get(cursorKey(name, organizationId));
      if (at === undefined) await createCursor(cursors, organizationId, name);
      const lag = head - (at ?? 0);
      lags[name] = Math.max(lags[name] ?? 0, lag);
      if (lag > 0) behind.add(organizationId);
    }
  }
  return { lags, behind: [...behind] };
}

/** The sequence of every cursor. */
async function readCursors(cursors: ConsumersDeps['cursors']): Promise<Map<string, number>> {
  const reached = new Map<string, number>();
  for await (const { organizationId, consumer, sequence } of cursors.collection.find({}))
    reached.set(cursorKey(consumer, organizationId.toHexString()), sequence);
  return reached;
}

function cursorKey(consumer: string, organizationId: string): string {
  return `${consumer}:${organizationId}`;
}

async function createCursor(
  cursors: ConsumersDeps['cursors'],
  organizationId: string,
  consumer: string,
): Promise<void> {
  const filter = { organizationId: objectId(organizationId), consumer };
  await cursors.updateOne(filter, { $setOnInsert: { sequence: 0 } }, { upsert: true });
}
