// A worker's side of the connections: one over which an organisation posts a great deal goes to the worker where that has its home.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { attach, detach, type Handle } from '../platform/handed-connections.ts';
import type { Connections } from '../platform/shared/shared.ts';

/** So many answers in a row for one organisation, none later than this after the first: what is slower, or mixed, stays where it is. */
const STREAK = 8;
const STREAK_MS = 1_000;
const HOMES_MAX = 10_000;
const KNOWN_MS = 60_000;

/** What the primary is asked. */
export interface ConnectionDesk {
  home(organizationId: string): Promise<number>;
  /** False: that worker does not take it. @throws Error where it may have: it has died, or does not answer */
  move(to: number, handle: Handle): Promise<boolean>;
}

interface Streak {
  organizationId: string;
  answers: number;
  since: number;
}

export class WorkerConnections implements Connections {
  readonly #number: number;
  readonly #desk: ConnectionDesk;
  readonly #streaks = new WeakMap<Socket, Streak>();
  /** Null: it is being asked for. */
  readonly #homes = new LRUCache<string, { worker: number | null }>({
    max: HOMES_MAX,
    ttl: KNOWN_MS,
  });
  #server: Server | null = null;

  /** `number`: of this worker. */
  constructor(number: number, desk: ConnectionDesk) {
    this.#number = number;
    this.#desk = desk;
  }

  servedBy(server: Server): void {
    this.#server = server;
  }

  answered(connection: Socket, organizationId: string): void {
    const now = performance.now();
    const streak = this.#streaks.get(connection);
    if (streak?.organizationId !== organizationId || now - streak.since > STREAK_MS)
      return void this.#streaks.set(connection, { organizationId, answers: 1, since: now });
    streak.answers += 1;
    if (streak.answers < STREAK) return;
    const home = this.#homeOf(organizationId);
    if (home !== null && home !== this.#number) void this.#move(connection, home, organizationId);
  }

  /** Serves it from now on; false: that is not possible, and this process has it no longer. */
  take(handle: Handle): boolean {
    const isServed = this.#server !== null && attach(this.#server, handle);
    if (!isServed) handle.close();
    return isServed;
  }

  /** Null: not known yet. */
  #homeOf(organizationId: string): number | null {
    const known = this.#homes.get(organizationId);
    if (known) return known.worker;
    this.#homes.set(organizationId, { worker: null });
    this.#desk.home(organizationId).then(
      (worker) => this.#homes.set(organizationId, { worker }),
      () => this.#homes.delete(organizationId),
    );
    return null;
  }

  /**
   * One that the other does not take stays here, as those of its organisation do for a while. Where nobody knows whether it has (it may
   * have died, and a request with it), only the end of the connection tells the caller.
   */
  async #move(connection: Socket, to: number, organizationId: string): Promise<void> {
    const handle = detach(connection);
    if (!handle) return;
    const isTaken = await this.#desk.move(to, handle).catch(() => null);
    if (!isTaken) this.#homes.set(organizationId, { worker: this.#number });
    if (isTaken === false) this.take(handle);
    else handle.close();
  }
}
