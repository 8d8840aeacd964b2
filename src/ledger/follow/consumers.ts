// The consumers of a chain: woken by the writer, swept by a job, each effect exactly once on any instance after any crash.
import type { Chain } from '../chains.ts';
import { ConsumerRunner, type RunnerParts } from './consumer-runner.ts';
import type { Consumer } from './consumer.ts';
import { TailReader, type MemberProjection } from './tail-reader.ts';
import { objectId } from '../ledger.model.ts';
import type { Probe } from '../probe.ts';
import { headSequences } from './head-sequences.ts';
import type { Timer } from '../timer.ts';
import { Debouncer } from './debouncer.ts';

export interface ConsumerParts extends Omit<RunnerParts, 'probe'> {
  chain: Chain;
  consumers: readonly Consumer[];
  timer: Timer;
  probe?: Probe;
}

export interface Consumers {
  /** The cursors of a new organisation; joins the current transaction. `startAt`: the sequence that has had its effects. */
  cursorsFor(organizationId: string, startAt: number): Promise<void>;
  /** There are new entries; a few times a second per organisation at most something happens. */
  wake(organizationId: string): void;
  /** Compares all cursors with the chains, makes those that are missing, wakes those that are behind. */
  sweep(): Promise<void>;
  /** Runs everything to its end, now; for tests and scripts. */
  runOnce(): Promise<void>;
  /** Entries that the slowest organisation is behind, by consumer, as of the last sweep. */
  lag(): Readonly<Record<string, number>>;
  /** Ends what is running and starts nothing more. */
  stop(): Promise<void>;
}

/** The runner of one chain's consumers. */
export function createConsumers(options: ConsumerParts): Consumers {
  const { connection, chain, consumers, timer, cursors } = options;
  const runner = new ConsumerRunner({ ...options, probe: options.probe ?? (() => {}) });
  const wakes = new Debouncer(timer, runAll);
  const projection = Object.assign(
    {},
    ...consumers.map((consumer) => consumer.projection),
  ) as MemberProjection;
  let lags: Readonly<Record<string, number>> = {};

  const growthOf = (organizationId: string): TailReader =>
    new TailReader({ connection, chain, organizationId, projection });

  async function runAll(organizationId: string): Promise<void> {
    const growth = growthOf(organizationId);
    for (const consumer of consumers) {
      const end = await runner.run(consumer, growth);
      if (end.kind === 'more') wakes.wake(organizationId);
      if (end.kind === 'paused') wakes.wakeLater(organizationId, end.ms);
    }
  }

  async function runToEnd(consumer: Consumer, organizationId: string): Promise<void> {
    while ((await runner.run(consumer, growthOf(organizationId))).kind !== 'reached')
      runner.hurry();
  }

  async function behind(): Promise<string[]> {
    const found = await compare(options);
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
      wakes.wake(organizationId);
    },
    async sweep() {
      for (const organizationId of await behind()) wakes.wake(organizationId);
    },
    async runOnce() {
      // More than one round where a run of the writer's moves the same cursors meanwhile.
      for (let rest = await behind(); rest.length > 0; rest = await behind()) {
        for (const organizationId of rest) {
          for (const consumer of consumers) await runToEnd(consumer, organizationId);
        }
      }
    },
    lag: () => lags,
    stop: () => wakes.stop(),
  };
}

/** Which organisations some consumer has not reached the end of, and by how much; makes missing cursors at the beginning. */
async function compare({ connection, chain, cursors, consumers }: ConsumerParts) {
  const newest = await headSequences(connection.collection(chain.collection));
  const reached = new Map<string, number>();
  for await (const { organizationId, consumer, sequence } of cursors.collection.find({})) {
    reached.set(`${consumer}:${organizationId.toHexString()}`, sequence);
  }
  const lags = Object.fromEntries(consumers.map(({ name }) => [name, 0]));
  const behind = new Set<string>();
  for (const [organizationId, sequence] of newest) {
    for (const { name } of consumers) {
      const at = reached.get(`${name}:${organizationId}`);
      if (at === undefined) {
        const filter = { organizationId: objectId(organizationId), consumer: name };
        await cursors.updateOne(filter, { $setOnInsert: { sequence: 0 } }, { upsert: true });
      }
      lags[name] = Math.max(lags[name] ?? 0, sequence - (at ?? 0));
      if ((at ?? 0) < sequence) behind.add(organizationId);
    }
  }
  return { lags, behind: [...behind] };
}
