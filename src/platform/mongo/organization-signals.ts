// Signals every instance that decisions of an organisation were amended, through the change feed.
import type { Model } from 'mongoose';
import type { Clock } from '../clock.ts';
import { BatchByKey } from '../concurrency/batch-by-key.ts';
import type { Logger } from '../observability/logger.ts';
import type { ChangeFeed, Listener } from './change-feed.ts';
import type { OrganizationSignalDocument } from './organization-signals.model.ts';

/**
 * - `send` MUST call the listeners of this instance at once; those of other instances follow within milliseconds.
 * - A signal may be lost while the database is away or the feed is interrupted: listeners MUST look by themselves too.
 * - At most one write per organisation is under way; further signals are combined into the next one.
 */
export interface OrganizationSignals {
  send(organizationId: string): void;
  /** The listener gets null when signals of any organisation may have been missed. */
  subscribe(listener: Listener): void;
}

interface Deps {
  signals: Model<OrganizationSignalDocument>;
  feed: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

export function createOrganizationSignals({
  signals,
  feed,
  clock,
  logger,
}: Deps): OrganizationSignals {
  const listeners: Listener[] = [];

  const notify: Listener = (organizationId) =>
    listeners.forEach((listener) => listener(organizationId));
  feed.subscribe(signals.collection.collectionName, notify);

  const writes = new BatchByKey<Date>(async (organizationId, times) => {
    const change = { $set: { sentAt: times.at(-1) } };
    await signals.updateOne({ organizationId }, change, { upsert: true });
  });

  return {
    send(organizationId) {
      notify(organizationId);
      writes
        .addItems(organizationId, [clock.now()])
        .catch((error: unknown) => logger.warn({ err: error }, 'a signal was not written'));
    },
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}
