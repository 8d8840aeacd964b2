// Pools of the outbox: topics that wait for different things have slots of their own, so that none of them waits for another's.
import {
  PROMPT_RETRIES,
  RECEIVER_RETRIES,
  type RetrySchedule,
} from '../../domain/retry-schedule.ts';
import type { RestingJob } from '../jobs/job-calls.ts';

export interface OutboxPool {
  /** The job that delivers its rows. */
  job: RestingJob;
  /** Deliveries at the same time. */
  slots: number;
  /** Of these, for one organisation. */
  slotsPerOrganization: number;
  retries: RetrySchedule;
}

/** Needs nothing but the database: attestations, and the fan-out of events. */
export const INTERNAL: OutboxPool = {
  job: 'outbox.internal',
  slots: 32,
  slotsPerOrganization: 4,
  retries: PROMPT_RETRIES,
};

/** Waits for the installation's mail server. */
export const MAIL: OutboxPool = {
  job: 'outbox.mail',
  slots: 24,
  slotsPerOrganization: 4,
  retries: RECEIVER_RETRIES,
};

/** Waits for servers that users name, and for the payment processor. */
export const RECEIVERS: OutboxPool = {
  job: 'outbox.deliver',
  slots: 64,
  slotsPerOrganization: 8,
  retries: RECEIVER_RETRIES,
};
