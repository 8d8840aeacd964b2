// Limits the concurrent event streams of a user and of an organisation.
import type { Release } from '../../../platform/concurrency/admission.ts';
import { type AcquireSlot, requireSlot } from '../../../platform/shared/slots.ts';

/** The slot of a stream that was closed is free a moment later: a page that is loaded again still finds it taken. */
const WAIT_MS = 1_000;

export interface StreamLimits {
  /** What is counted, such as `streams`. */
  name: string;
  user: number;
  organization: number;
}

export class StreamSlots {
  readonly #acquireSlot: AcquireSlot;
  readonly #limits: StreamLimits;
  /** Number of streams on this instance, by organisation. */
  readonly #counts = new Map<string, number>();

  constructor(acquireSlot: AcquireSlot, limits: StreamLimits) {
    this.#acquireSlot = acquireSlot;
    this.#limits = limits;
  }

  /** Whether an organisation has streams on this instance. */
  hasStreams(organizationId: string): boolean {
    return this.#counts.has(organizationId);
  }

  /**
   * Acquires a slot; the returned function releases it.
   * @throws AppError `RATE_LIMIT_EXCEEDED` when none is left for `WAIT_MS`
   */
  async acquireSlot(organizationId: string, userId: string): Promise<Release> {
    const { name, user, organization } = this.#limits;
    const releaseUser = await this.#require(`${name} of a user`, userId, user);
    const releaseOrganization = await this.#require(name, organizationId, organization).catch(
      (error: unknown) => {
        releaseUser();
        throw error;
      },
    );
    this.#add(organizationId, 1);
    return () => {
      this.#add(organizationId, -1);
      releaseOrganization();
      releaseUser();
    };
  }

  #require(namespace: string, key: string, limit: number): Promise<Release> {
    const slot = { namespace, key, limit, waitMs: WAIT_MS };
    return requireSlot(this.#acquireSlot, slot, `Too many event streams at a time: ${limit}`);
  }

  #add(organizationId: string, change: 1 | -1): void {
    const count = (this.#counts.get(organizationId) ?? 0) + change;
    if (count === 0) this.#counts.delete(organizationId);
    else this.#counts.set(organizationId, count);
  }
}
