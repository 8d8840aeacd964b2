// Starts what follows the ledger.
import { DECISIONS } from '../ledger/chains.ts';
import type { Consumer } from '../ledger/follow/consumer.ts';
import { type Consumers, createConsumers } from '../ledger/follow/consumers.ts';
import { systemTimer } from '../platform/concurrency/timer.ts';
import { listOrganizationIds } from '../identity/organization/organization-facts.service.ts';
import type { Platform } from '../platform/platform.ts';

/** Starts the consumers of the decision ledger, which are woken after every batch. */
export function followLedger(platform: Platform, list: readonly Consumer[]): Consumers {
  const { connection, clock, drawFraction, models, logger, metrics, probe } = platform;
  const consumers = createConsumers({
    connection,
    clock,
    drawFraction,
    ...(probe && { probe }),
    consumers: list,
    chain: DECISIONS,
    cursors: models.cursors,
    deadLetters: models.parked,
    timer: systemTimer,
    keyLeases: platform.shared.keyLeases,
    findNotedSince: platform.ledger.heads.findNotedSince,
    listOrganizationsAfter: (organizationId, limit) =>
      listOrganizationIds(platform, organizationId, { limit }),
    onCursorFault(fault) {
      metrics.cursorFaults.inc({ consumer: fault.consumer, kind: fault.kind });
      logger.error(fault, 'a cursor was lost or beyond its chain: effects may be missing');
    },
    onError: (consumer, organizationId, error) =>
      logger.warn({ consumer, organizationId, err: error }, 'a consumer failed and will try again'),
    onDeadLetter: (consumer, organizationId, sequence) =>
      logger.error({ consumer, organizationId, sequence }, 'a consumer skipped an entry'),
  });
  platform.ledger.onSealed(consumers.wake);
  return consumers;
}
