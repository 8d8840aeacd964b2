// Connections that go from one server to another between two requests: nothing that was sent is lost, whenever it came.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { attach, detach, type Handle } from '../../src/platform/handed-connections.ts';

const servers: Server[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Answering = (req: IncomingMessage, res: ServerResponse) => void;

async function serving(answer: Answering): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

async function connected(server: Server): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(socket);
  await once(socket, 'connect');
  return socket;
}

const post = (body: string, more = ''): string =>
  `POST / HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Bodies of what was answered, as far as it has come. */
function answersTo(client: Socket): string[] {
  const bodies: string[] = [];
  let rest = '';
  client.on('data', (chunk) => {
    rest += chunk.toString();
    for (
      let found = /^.*?\r\n\r\n<(.*?)>/s.exec(rest);
      found;
      found = /^.*?\r\n\r\n<(.*?)>/s.exec(rest)
    ) {
      bodies.push(found[1] ?? '');
      rest = rest.slice(found[0].length);
    }
  });
  return bodies;
}

/** Two servers that hand each connection to the other after each answer, if it is idle; and how often each did. */
async function pair(): Promise<{ first: Server; handed: number[]; kept: number }> {
  const state = { handed: [0, 0], kept: 0 };
  const both: Server[] = [];
  const answering =
    (which: number): Answering =>
    (req, res) => {
      void text(req).then((body) => {
        res.once('finish', () => {
          const handle = detach(req.socket);
          if (!handle) return void (state.kept += 1);
          state.handed[which]! += 1;
          setTimeout(() => attach(both[1 - which]!, handle), 1);
        });
        res.end(`<${which} ${body}>`);
      });
    };
  both.push(await serving(answering(0)), await serving(answering(1)));
  return Object.assign(state, { first: both[0]! });
}

test('a connection is served by the other server from one request to the next', async () => {
  const { first, handed } = await pair();
  const client = await connected(first);
  const answers = answersTo(client);
  for (let turn = 0; turn < 20; turn++) {
    client.write(post(`${turn}`));
    await expect.poll(() => answers.length, { interval: 1 }).toBe(turn + 1);
  }
  expect(answers).toEqual(Array.from({ length: 20 }, (_, turn) => `${turn % 2} ${turn}`));
  expect(handed).toEqual([10, 10]);
  client.end();
  await once(client, 'close');
  await expect.poll(() => connectionsOf(first)).toBe(0);
});

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

test('whatever a client sends before it is answered is answered, in its order', async () => {
  const state = await pair();
  const client = await connected(state.first);
  const answers = answersTo(client);
  const bodies = Array.from(
    { length: 300 },
    (_, turn) => `${turn}-${'x'.repeat((turn * 37) % 500)}`,
  );
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  // Some ten requests at a time, cut anywhere: in a head, in a body, between two.
  for (let from = 0; from < bodies.length; from += 1 + (from % 17)) {
    const bytes = bodies
      .slice(from, from + 1 + (from % 17))
      .map((body) => post(body))
      .join('');
    for (let at = 0, size = 1; at < bytes.length; at += size, size = 1 + ((size * 131 + 7) % 900)) {
      client.write(bytes.slice(at, at + size));
      if (size % 3 === 0) await pause(size % 5);
    }
    await pause(from % 4);
  }
  await expect.poll(() => answers.length, { timeout: 10_000 }).toBe(bodies.length);
  expect(answers.map((answer) => answer.slice(2))).toEqual(bodies);
  expect(state.kept).toBeGreaterThan(0);
  expect(Math.min(...state.handed)).toBeGreaterThan(0);
});

test('a connection that its client has asked to close ends where it is', async () => {
  const state = await pair();
  const client = await connected(state.first);
  const answers = answersTo(client);
  client.write(post('last', 'Connection: close\r\n'));
  await once(client, 'close');
  expect(answers).toEqual(['0 last']);
  expect([state.handed, state.kept]).toEqual([[0, 0], 1]);
});

test('a server that is full, or has closed, takes no connection, which is still its owner’s', async () => {
  const full = await serving((_req, res) => res.end('<full>'));
  full.maxConnections = 1;
  const closed = await serving(() => undefined);
  await new Promise((resolve) => closed.close(resolve));
  await connected(full);
  await expect.poll(() => connectionsOf(full)).toBe(1);
  const taken: boolean[] = [];
  const offer = (handle: Handle): void => {
    for (const server of [full, closed, own]) taken.push(attach(server, handle));
  };
  const own: Server = await serving((req, res) => {
    void text(req).then(() => {
      res.once('finish', () => offer(detach(req.socket) as Handle));
      res.end('<own>');
    });
  });
  const client = await connected(own);
  const answers = answersTo(client);
  for (let turn = 1; turn <= 3; turn++) {
    client.write(post('x'));
    await expect.poll(() => answers.length).toBe(turn);
  }
  expect(answers).toEqual(['own', 'own', 'own']);
  const each = [false, false, true];
  expect(taken).toEqual([...each, ...each, ...each]);
});
