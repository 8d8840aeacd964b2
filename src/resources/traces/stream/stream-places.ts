// How many event streams a user and an organisation have open at a time.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';

type Leave = () => void;

export class StreamPlaces {
  readonly #shared: Platform['shared'];
  readonly #limits: { user: number; organization: number };
  /** Streams of an organisation on this instance. */
  readonly #here = new Map<string, number>();

  constructor(shared: Platform['shared'], limits: { user: number; organization: number }) {
    this.#shared = shared;
    this.#limits = limits;
  }

  /** Whether an organisation has streams on this instance. */
  isTaken(organizationId: string): boolean {
    return this.#here.has(organizationId);
  }

  /** Takes a place; the returned function gives it back. @throws AppError `RATE_LIMIT_EXCEEDED` */
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
