// A receiver of webhooks on the loopback, which keeps what it gets and verifies it as a customer would.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Message {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  // Tests read what they expect; a wrong shape fails the expectation, not the compiler.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  body: any;
}

export interface Receiver {
  /** Without a slash at the end. */
  url: string;
  /** `host:port`, for the list of what an installation allows. */
  host: string;
  received: Message[];
  /** Connections that were opened, for whatever purpose. */
  readonly connections: number;
  /** Lists the messages posted to a path, oldest first. */
  listMessages(path: string): Message[];
  /** How a path answers; default 204. */
  answers: Map<string, (response: ServerResponse, message: Message) => void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Message[] = [];
  const answers: Receiver['answers'] = new Map();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const message = { path, headers, text, body: JSON.parse(text) as unknown };
      received.push(message);
      const answer = answers.get(path);
      if (answer) answer(response, message);
      else response.writeHead(204).end();
    });
  });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    received,
    get connections() {
      return connections;
    },
    listMessages: (path: string) => received.filter((message) => message.path === path),
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const TOLERANCE_S = 300;

/**
 * Verifies a message by its secret, as Standard Webhooks 1.0.0 says, and returns its body.
 * @throws Error for a wrong or outdated signature
 */
export function verifyMessage({ text, headers }: Message, secret: string): unknown {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': sent } = headers;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const mac = createHmac('sha256', key).update(`${String(id)}.${String(seconds)}.${text}`);
  const [expected, given] = [Buffer.from(`v1,${mac.digest('base64')}`), Buffer.from(String(sent))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Error('No matching signature found');
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= TOLERANCE_S))
    throw new Error('Message timestamp too old or too new');
  return JSON.parse(text);
}
