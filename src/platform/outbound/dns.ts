// Looks up TXT records and addresses at name servers, with a timeout and without a thread of the libuv pool.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

export interface Dns {
  /** The TXT records of a name, one string each; empty: it has none. @throws Error when no server answers in time */
  resolveTxt(name: string): Promise<string[]>;
  /**
   * The addresses of a name, IPv4 first; an address is its own. Knows neither the hosts file nor a search list.
   * @throws Error when the name has none, or no server answers in time
   */
  resolveAddresses(name: string): Promise<LookupAddress[]>;
}

const NO_RECORDS = new Set(['ENOTFOUND', 'ENODATA']);
/** A second try makes up for a lost datagram. */
const TRIES = 2;

/** @param servers IP addresses with an optional port; empty: the system's */
export function createDns({
  servers,
  timeoutMs,
}: {
  servers: readonly string[];
  timeoutMs: number;
}): Dns {
  /** Asks within the time, whatever the number of servers. */
  async function queryServers<T>(
    tries: number,
    question: (resolver: Resolver) => Promise<T>,
  ): Promise<T> {
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / tries), tries });
    if (servers.length > 0) resolver.setServers(servers);
    // The resolver's own timeout restarts for each server.
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      return await question(resolver);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async resolveTxt(name) {
      try {
        const records = await queryServers(1, (resolver) => resolver.resolveTxt(name));
        return records.map((parts) => parts.join(''));
      } catch (error) {
        if (NO_RECORDS.has((error as NodeJS.ErrnoException).code ?? '')) return [];
        throw error;
      }
    },
    async resolveAddresses(name) {
      const family = isIP(name);
      if (family !== 0) return [{ address: name, family }];
      const [four, six] = await queryServers(TRIES, (resolver) =>
        Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]),
      );
      const found = [...toAddresses(four, 4), ...toAddresses(six, 6)];
      if (found.length === 0 && four.status === 'rejected') throw four.reason;
      return found;
    },
  };
}

function toAddresses(
  answer: PromiseSettledResult<readonly string[]>,
  family: 4 | 6,
): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
