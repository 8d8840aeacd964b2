// What the domain name system says: TXT records, in bounded time.
import { Resolver } from 'node:dns/promises';

export interface Dns {
  /** The TXT records of a name, each in one piece; none when there is no such name. @throws Error when nobody answers in time */
  txt(name: string): Promise<string[]>;
}

const NONE = new Set(['ENOTFOUND', 'ENODATA']);

/** @param servers addresses, perhaps with a port; empty: those of the system */
export function createDns({
  servers,
  timeoutMs,
}: {
  servers: readonly string[];
  timeoutMs: number;
}): Dns {
  return {
    async txt(name) {
      const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
      if (servers.length > 0) resolver.setServers(servers);
      // The resolver counts its time for each server by itself.
      const late = setTimeout(() => resolver.cancel(), timeoutMs);
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
      } catch (error) {
        if (NONE.has((error as NodeJS.ErrnoException).code ?? '')) return [];
        throw error;
      } finally {
        clearTimeout(late);
      }
    },
  };
}
