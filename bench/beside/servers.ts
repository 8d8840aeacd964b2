// Remote servers: one that accepts and counts requests, and one that accepts connections and never answers.
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Counting {
  /** `host:port`. */
  host: string;
  /** Requests so far. */
  count(): number;
  close(): Promise<void>;
}

export async function startCountingServer(): Promise<Counting> {
  let requests = 0;
  const server = createHttpServer((request, response) => {
    request.resume().on('end', () => {
      requests += 1;
      response.writeHead(204).end();
    });
  });
  const host = await listenLocally(server);
  return {
    host,
    count: () => requests,
    close() {
      server.closeAllConnections();
      return closeServer(server);
    },
  };
}

/** Starts a server that accepts connections and never answers. */
export async function startDeadServer(): Promise<Omit<Counting, 'count'>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    socket.resume();
  });
  const host = await listenLocally(server);
  return {
    host,
    close() {
      for (const socket of sockets) socket.destroy();
      return closeServer(server);
    },
  };
}

async function listenLocally(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => void server.close(() => resolve()));
