// A bounded, fair queue: shares and their clients are served in rotation, so a long queue delays only itself.

/** Owner of an item. */
export interface QueueKey {
  /** Unit of fairness, such as an organisation or a network. */
  share: string;
  /** Unit of fairness within a share, such as the caller's network; empty: no distinction. */
  client: string;
}

interface Share<T> {
  size: number;
  /** Ordered by next service; none is empty. */
  clients: Map<string, T[]>;
}

/**
 * - Holds at most `max` items, in memory, in time that does not grow with the items of others except when it is full.
 * - MUST serve the shares in rotation, the clients of a share in rotation, and the items of a client in their order.
 * - When it is full, MUST drop the newest item of the busiest client of the largest share, which may be the new item.
 * - MUST NOT lose an item otherwise: `enqueue` returns what it drops.
 */
export class FairQueue<T> {
  readonly #max: number;
  /** Ordered by next service; none is empty. */
  readonly #shares = new Map<string, Share<T>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Number of items of a share. */
  count(share: string): number {
    return this.#shares.get(share)?.size ?? 0;
  }

  /** Adds an item; returns the item that is dropped when the queue is full, else null. */
  enqueue({ share: name, client }: QueueKey, item: T): T | null {
    const share = this.#shares.get(name) ?? { size: 0, clients: new Map<string, T[]>() };
    this.#shares.set(name, share);
    const items = share.clients.get(client) ?? [];
    share.clients.set(client, items);
    items.push(item);
    share.size += 1;
    this.#size += 1;
    return this.#size > this.#max ? this.#drop({ share: name, client }) : null;
  }

  /** Removes the next item of a share that may be served now, of all or of these; undefined: there is none. */
  shift(
    mayServe: (share: string) => boolean = () => true,
    among: Iterable<string> = this.#shares.keys(),
  ): T | undefined {
    const name = findFirst(among, mayServe);
    const share = name === undefined ? undefined : this.#shares.get(name);
    if (name === undefined || !share) return undefined;
    const [[client, items] = ['', []]] = share.clients;
    const first = items.shift();
    this.#noteRemoval(name, client);
    // The served share and client come last from now on.
    if (share.size > 0) {
      this.#shares.delete(name);
      this.#shares.set(name, share);
    }
    if (items.length > 0) {
      share.clients.delete(client);
      share.clients.set(client, items);
    }
    return first;
  }

  /** Removes an item that no one waits for any more. */
  remove({ share, client }: QueueKey, item: T): void {
    const items = this.#shares.get(share)?.clients.get(client);
    const index = items?.indexOf(item) ?? -1;
    if (index < 0) return;
    items?.splice(index, 1);
    this.#noteRemoval(share, client);
  }

  /** Drops the newest item of the longest queue; among equals, of the newcomer's. */
  #drop(newcomer: QueueKey): T | null {
    const share = findLongest(this.#shares, newcomer.share, ({ size }) => size);
    const { clients } = this.#shares.get(share) ?? { clients: new Map<string, T[]>() };
    const client = findLongest(clients, newcomer.client, ({ length }) => length);
    const last = clients.get(client)?.pop() ?? null;
    this.#noteRemoval(share, client);
    return last;
  }

  /** Updates the counts after an item has left. */
  #noteRemoval(name: string, client: string): void {
    const share = this.#shares.get(name);
    if (!share) return;
    this.#size -= 1;
    share.size -= 1;
    if (share.clients.get(client)?.length === 0) share.clients.delete(client);
    if (share.size === 0) this.#shares.delete(name);
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
