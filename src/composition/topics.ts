// Maps an outbox topic to the pool that delivers its rows.
import { EVENT_TOPIC } from '../domain/events/events.ts';
import { MAIL_TOPIC } from '../platform/mail/mail-delivery.ts';
import { INTERNAL, MAIL, type OutboxPool, RECEIVERS } from '../platform/outbox/pools.ts';
import { ATTESTATION_TOPIC } from '../resources/hash-chain/attestation-topic.ts';

const POOLS: Readonly<Record<string, OutboxPool>> = {
  [ATTESTATION_TOPIC]: INTERNAL,
  [EVENT_TOPIC]: INTERNAL,
  [MAIL_TOPIC]: MAIL,
};

/** Finds the pool; topics that are not listed wait for servers outside the installation. */
export const findPool = (topic: string): OutboxPool => POOLS[topic] ?? RECEIVERS;
