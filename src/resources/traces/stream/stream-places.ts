// How many event streams a user and an organisation have open on this instance.
import { AppError } from '../../../errors.ts';

export class StreamPlaces {
  readonly #limits: { user: number; organization: number };
  readonly #taken = new Map<string, number>();

  constructor(limits: { user: number; organization: number }) {
    this.#limits = limits;
  }

  isTaken(organizationId: string): boolean {
    return this.#taken.has(organizationId);
  }

  /** Takes a place; the returned function gives it back. @throws AppError `RATE_LIMIT_EXCEEDED` */
  take(organizationId: string, userId: string): () => void {
    this.#require(userId, this.#limits.user);
    this.#require(organizationId, this.#limits.organization);
    for (const key of [userId, organizationId]) this.#add(key, 1);
    return () => {
      for (const key of [userId, organizationId]) this.#add(key, -1);
    };
  }

  #require(key: string, limit: number): void {
    if ((this.#taken.get(key) ?? 0) < limit) return;
    throw new AppError('RATE_LIMIT_EXCEEDED', `Too many event streams at a time: ${limit}`, {
      data: { limit, windowSeconds: 1 },
      headers: { 'Retry-After': '1' },
    });
  }

  #add(key: string, change: 1 | -1): void {
    const taken = (this.#taken.get(key) ?? 0) + change;
    if (taken === 0) this.#taken.delete(key);
    else this.#taken.set(key, taken);
  }
}
