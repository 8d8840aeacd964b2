// The demo's receiver of webhooks: it trusts nothing but its secret, and counts a message once, however often it comes.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface Received {
  /** Verified messages by event, each id once. */
  byEvent: ReadonlyMap<string, number>;
  total: number;
  /** Number of messages whose id had been received before. */
  repeated: number;
  /** Number of messages with an invalid signature. */
  refused: number;
}

export interface Receiver {
  url: string;
  /** `host:port`, which the instance must allow as a destination, since it is no public address. */
  host: string;
  /** Sets the secret; until then everything is refused. */
  trust(secret: string): void;
  received(): Received;
  close(): Promise<void>;
}

interface Event {
  event: string;
}

/** Starts it on a free port of the loopback. */
export async function startReceiver(): Promise<Receiver> {
  let webhook: Webhook | null = null;
  const ids = new Set<string>();
  const byEvent = new Map<string, number>();
  let [repeated, refused] = [0, 0];

  function recordEvent(id: string, { event }: Event): void {
    if (ids.has(id)) return void (repeated += 1);
    ids.add(id);
    byEvent.set(event, (byEvent.get(event) ?? 0) + 1);
  }

  /** Records a message; returns the status of its answer. */
  async function answer(request: IncomingMessage): Promise<number> {
    const body = await text(request);
    try {
      if (!webhook) throw new Error('no secret yet');
      const headers = request.headers as Record<string, string>;
      recordEvent(headers['webhook-id'] ?? '', webhook.verify(body, headers) as Event);
      return 204;
    } catch {
      refused += 1;
      return 401;
    }
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/events`,
    host,
    trust: (secret) => void (webhook = new Webhook(secret)),
    received: () => ({ byEvent, total: ids.size, repeated, refused }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
