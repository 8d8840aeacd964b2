// Pools of the outbox: separate slots for topics with different bottlenecks, so that none waits for another's.
import {
  PROMPT_RETRIES,
  RECEIVER_RETRIES,
  type RetrySchedule,
} from '../../domain/retry-schedule.ts';
import type { RestingJob } from '../jobs/job-calls.ts';

export interface OutboxPool {
  /** The job that delivers its rows. */
  job: RestingJob;
  /** Concurrent deliveries. */
  slots: number;
  /** Concurrent deliveries of one organisation. */
  slotsPerOrganization: number;
  retries: RetrySchedule;
}

/** Topics that need only the database: attestations, and the fan-out of events. */
export const INTERNAL: OutboxPool = {
  job: 'outbox.internal',
  slots: 32,
  slotsPerOrganization: 4,
  retries: PROMPT_RETRIES,
};

/** Topics that wait for the installation's mail server. */
export const MAIL: OutboxPool = {
  job: 'outbox.mail',
  slots: 24,
  slotsPerOrganization: 4,
  retries: RECEIVER_RETRIES,
};

/** Topics that wait for servers that users name, and for the payment processor. */
export const RECEIVERS: OutboxPool = {
  job: 'outbox.deliver',
  slots: 64,
  slotsPerOrganization: 8,
  retries: RECEIVER_RETRIES,
};
