// Consumers for tests, which leave their effects in a database of the calling test file.
import type { Connection } from 'mongoose';
import { systemClock } from '../../src/platform/clock.ts';
import { drawFraction, generateId } from '../../src/platform/ids.ts';
import { DECISIONS } from '../../src/ledger/chains.ts';
import type { Consumer, TransactionalConsumer } from '../../src/ledger/follow/consumer.ts';
import type { CursorFault } from '../../src/ledger/follow/cursor-check.ts';
import {
  type Consumers,
  type ConsumersDeps,
  createConsumers,
} from '../../src/ledger/follow/consumers.ts';
import type { Probe } from '../../src/ledger/probe.ts';
import { draft, hastyTimer, RealChain } from './store/real-chain.ts';

/** The errors that consumers reported. */
export interface Reported {
  errors: unknown[];
  deadLetters: number[];
  faults: CursorFault[];
}

export class FollowedChain extends RealChain {
  /** Creates a consumer that writes a row for each entry. By default its batches of seven make it run by itself. */
  effects(
    name: string,
    more: Partial<TransactionalConsumer> = { batch: 7 },
  ): TransactionalConsumer {
    const consumer: TransactionalConsumer = {
      name,
      from: 'start',
      kinds: ['trace'],
      projection: { traceId: 1 },
      consume: async (entries, { session, organizationId }) => {
        const rows = entries.map(({ sequence }) => ({ name, organizationId, sequence }));
        await this.db.collection('effects').insertMany(rows as never[], { session });
      },
    };
    return Object.assign(consumer, more);
  }

  async effectsOf(name: string, organizationId: string): Promise<number[]> {
    const rows = this.db.collection('effects').find({ name, organizationId }).sort({ sequence: 1 });
    return (await rows.toArray()).map(({ sequence }) => sequence as number);
  }

  /** Returns the chain's connection, and the collections that were read through it. */
  watched(): { connection: Connection; reads: string[] } {
    const reads: string[] = [];
    const connection = new Proxy(this.connection, {
      get(target, name) {
        if (name !== 'collection') return Reflect.get(target, name) as unknown;
        return (of: string) => {
          reads.push(of);
          return target.collection(of);
        };
      },
    }) as Connection;
    return { connection, reads };
  }

  follow(
    consumers: readonly Consumer[],
    probe: Probe = () => {},
    over: Partial<ConsumersDeps> = {},
  ): { runner: Consumers; reported: Reported } {
    const reported: Reported = { errors: [], deadLetters: [], faults: [] };
    const runner = createConsumers({
      connection: this.connection,
      chain: DECISIONS,
      ...this.models(),
      consumers,
      probe,
      clock: systemClock,
      drawFraction,
      timer: hastyTimer,
      onError: (_consumer, _organizationId, error) => reported.errors.push(error),
      onDeadLetter: (_consumer, _organizationId, sequence) => reported.deadLetters.push(sequence),
      onCursorFault: (fault) => reported.faults.push(fault),
      listOrganizationsAfter: (after, limit) => this.#organizationsAfter(after, limit),
      findNotedSince: () => Promise.resolve([]),
      ...over,
    });
    return { runner, reported };
  }

  /** Creates a chain in which every fifth entry is an amendment. */
  async appended(count: number): Promise<string> {
    const organizationId = generateId();
    const { appender } = this.start();
    await Promise.all(
      Array.from({ length: count }, (_, number) => {
        const isAmendment = number % 5 === 4;
        return appender.append(
          draft(organizationId, isAmendment ? { kind: 'compliance', after: number } : {}),
        );
      }),
    );
    return organizationId;
  }

  async traces(organizationId: string): Promise<number[]> {
    return (await this.entries(organizationId))
      .filter(({ kind }) => kind === 'trace')
      .map(({ sequence }) => sequence);
  }

  /** Lists organisations that have a chain, ascending. */
  async #organizationsAfter(after: string | null, limit: number): Promise<string[]> {
    const ids = (await this.db.collection('ledger').distinct('organizationId')).map(String).sort();
    return ids.filter((id) => after === null || id > after).slice(0, limit);
  }
}
