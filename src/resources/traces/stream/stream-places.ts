// Limits the concurrent event streams of a user and of an organisation.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';

type Leave = () => void;

export class StreamPlaces {
  readonly #shared: Platform['shared'];
  readonly #limits: { user: number; organization: number };
  /** Number of streams on this instance, by organisation. */
  readonly #here = new Map<string, number>();

  constructor(shared: Platform['shared'], limits: { user: number; organization: number }) {
    this.#shared = shared;
    this.#limits = limits;
  }

  /** Whether an organisation has streams on this instance. */
  isTaken(organizationId: string): boolean {
    return this.#here.has(organizationId);
  }

  /** Acquires a slot; the returned function releases it. @throws AppError `RATE_LIMIT_EXCEEDED` */
  async take(organizationId: string, userId: string): Promise<Leave> {
    const leaveUser = await this.#require('streams of a user', userId, this.#limits.user);
    const leaveOrganization = await this.#require(
      'streams',
      organizationId,
      this.#limits.organization,
    ).catch((error: unknown) => {
      leaveUser();
      throw error;
    });
    this.#add(organizationId, 1);
    return () => {
      this.#add(organizationId, -1);
      leaveOrganization();
      leaveUser();
    };
  }

  async #require(room: string, key: string, limit: number): Promise<Leave> {
    const leave = await this.#shared.place({ room, key, limit });
    if (leave) return leave;
    throw new AppError('RATE_LIMIT_EXCEEDED', `Too many event streams at a time: ${limit}`, {
      data: { limit, windowSeconds: 1 },
      headers: { 'Retry-After': '1' },
    });
  }

  #add(organizationId: string, change: 1 | -1): void {
    const here = (this.#here.get(organizationId) ?? 0) + change;
    if (here === 0) this.#here.delete(organizationId);
    else this.#here.set(organizationId, here);
  }
}
