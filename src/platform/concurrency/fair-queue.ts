// A bounded, fair queue: tenants and their clients are served in rotation, so a long queue delays only itself.

/** Owner of an item. */
export interface QueueKey {
  /** Unit of fairness, such as an organisation or a network. */
  tenant: string;
  /** Unit of fairness within a tenant, such as the caller's network; empty: no distinction. */
  client: string;
}

interface TenantQueue<T> {
  size: number;
  /** Ordered by next service; none is empty. */
  clients: Map<string, T[]>;
}

/**
 * - Holds at most `max` items, in memory, in time that does not grow with the items of others except when it is full.
 * - MUST serve the tenants in rotation, the clients of a tenant in rotation, and the items of a client in their order.
 * - When it is full, MUST drop the newest item of the busiest client of the largest tenant, which may be the new item.
 * - MUST NOT lose an item otherwise: `enqueue` returns what it drops.
 */
export class FairQueue<T> {
  readonly #max: number;
  /** Ordered by next service; none is empty. */
  readonly #tenants = new Map<string, TenantQueue<T>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Number of items of a tenant. */
  count(tenant: string): number {
    return this.#tenants.get(tenant)?.size ?? 0;
  }

  /** Adds an item; returns the item that is dropped when the queue is full, else null. */
  enqueue({ tenant: name, client }: QueueKey, item: T): T | null {
    const queue = this.#tenants.get(name) ?? { size: 0, clients: new Map<string, T[]>() };
    this.#tenants.set(name, queue);
    const items = queue.clients.get(client) ?? [];
    queue.clients.set(client, items);
    items.push(item);
    queue.size += 1;
    this.#size += 1;
    return this.#size > this.#max ? this.#drop({ tenant: name, client }) : null;
  }

  /** Removes the next item of a tenant that may be served now, of all or of these; undefined: there is none. */
  shift(
    mayServe: (tenant: string) => boolean = () => true,
    among: Iterable<string> = this.#tenants.keys(),
  ): T | undefined {
    const name = findFirst(among, mayServe);
    const queue = name === undefined ? undefined : this.#tenants.get(name);
    if (name === undefined || !queue) return undefined;
    const [[client, items] = ['', []]] = queue.clients;
    const first = items.shift();
    this.#noteRemoval(name, client);
    // The served tenant and client come last from now on.
    if (queue.size > 0) {
      this.#tenants.delete(name);
      this.#tenants.set(name, queue);
    }
    if (items.length > 0) {
      queue.clients.delete(client);
      queue.clients.set(client, items);
    }
    return first;
  }

  /** Removes an item that no one waits for any more. */
  remove({ tenant, client }: QueueKey, item: T): void {
    const items = this.#tenants.get(tenant)?.clients.get(client);
    const index = items?.indexOf(item) ?? -1;
    if (index < 0) return;
    items?.splice(index, 1);
    this.#noteRemoval(tenant, client);
  }

  /** Drops the newest item of the longest queue; among equals, of the newcomer's. */
  #drop(newcomer: QueueKey): T | null {
    const tenant = findLongest(this.#tenants, newcomer.tenant, ({ size }) => size);
    const { clients } = this.#tenants.get(tenant) ?? { clients: new Map<string, T[]>() };
    const client = findLongest(clients, newcomer.client, ({ length }) => length);
    const last = clients.get(client)?.pop() ?? null;
    this.#noteRemoval(tenant, client);
    return last;
  }

  /** Updates the counts after an item has left. */
  #noteRemoval(name: string, client: string): void {
    const queue = this.#tenants.get(name);
    if (!queue) return;
    this.#size -= 1;
    queue.size -= 1;
    if (queue.clients.get(client)?.length === 0) queue.clients.delete(client);
    if (queue.size === 0) this.#tenants.delete(name);
  }
}

function findFirst(
  names: Iterable<string>,
  isWanted: (name: string) => boolean,
): string | undefined {
  for (const name of names) if (isWanted(name)) return name;
  return undefined;
}

/** The name of the longest; of equals, `preferred` or the first. */
function findLongest<V>(
  all: ReadonlyMap<string, V>,
  preferred: string,
  measure: (one: V) => number,
) {
  const own = all.get(preferred);
  let [name, most] = [preferred, own === undefined ? 0 : measure(own)];
  for (const [other, one] of all) if (measure(one) > most) [name, most] = [other, measure(one)];
  return name;
}
