// The followers of the decision ledger, woken after every batch.
import { DECISIONS } from '../ledger/chains.ts';
import type { Consumer } from '../ledger/follow/consumer.ts';
import { type Consumers, createConsumers } from '../ledger/follow/consumers.ts';
import { systemTimer } from '../ledger/timer.ts';
import type { Platform } from './platform.ts';

export function followLedger(platform: Platform, list: readonly Consumer[]): Consumers {
  const { models, logger } = platform;
  const consumers = createConsumers({
    ...platform,
    consumers: list,
    chain: DECISIONS,
    cursors: models.cursors,
    deadLetters: models.parked,
    timer: systemTimer,
    onError: (consumer, organizationId, error) =>
      logger.warn({ consumer, organizationId, err: error }, 'a consumer failed and will try again'),
    onDeadLetter: (consumer, organizationId, sequence) =>
      logger.error({ consumer, organizationId, sequence }, 'a consumer skipped an entry'),
  });
  platform.ledger.onSealed(consumers.wake);
  return consumers;
}
