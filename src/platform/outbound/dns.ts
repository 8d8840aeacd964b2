// Looks up TXT records, with a timeout.
import { Resolver } from 'node:dns/promises';

export interface Dns {
  /** The TXT records of a name, each in one string; empty when the name has none. @throws Error when no server answers in time */
  txt(name: string): Promise<string[]>;
}

const NO_RECORDS = new Set(['ENOTFOUND', 'ENODATA']);

/** @param servers IP addresses with an optional port; empty: the system's */
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
      // The resolver's own timeout starts anew for each server.
      const timer = setTimeout(() => resolver.cancel(), timeoutMs);
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
      } catch (error) {
        if (NO_RECORDS.has((error as NodeJS.ErrnoException).code ?? '')) return [];
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
