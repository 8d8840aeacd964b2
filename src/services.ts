// The services of one instance that are passed on rather than called by name.
import type { Caller } from './domain/identity/tenant.ts';
import type { OutboxWorkers } from './platform/outbox/outbox-workers.ts';

/** What the HTTP layer is given. */
export interface Services {
  /** Authenticates by the token of a calendar feed. */
  authenticateFeed(token: string): Promise<Caller>;
}

/** What runs without a request. */
export interface Background {
  outboxWorkers: OutboxWorkers;
}
