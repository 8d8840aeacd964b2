// Proxies over HTTP and stdio in this process, each before a server that a test scripts, with a client that speaks raw JSON-RPC.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, inject } from 'vitest';
import { prepareProxy } from '../../../packages/cli/src/commands/mcp-proxy.ts';
import { serveHttp } from '../../../packages/cli/src/mcp/http-proxy.ts';
import { joinSides } from '../../../packages/cli/src/mcp/stdio-proxy.ts';
import type { Io } from '../../../packages/cli/src/io.ts';
import { Output } from '../../../packages/cli/src/output.ts';
import {
  HttpClient,
  LineClient,
  type LineScript,
  LineServer,
  type Message,
  type RawClient,
} from './raw-clients.ts';

export type Way = 'http' | 'stdio';
export const WAYS: readonly Way[] = ['http', 'stdio'];

/** Options of a proxy; else as the command is by default. */
export interface ProxyOptions {
  url: string;
  key: string;
  /** Default: the agent of the key. */
  agent?: string;
  onUnavailable?: string;
  wait?: string;
  readOnly?: string;
  server?: string;
  /** The command of a server on stdio; default: one without arguments. */
  words?: string[];
}

/** What a server answers: a result or an error; undefined: nothing. */
export type Serve = (message: Message) => object | undefined;

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'tests', version: '1' },
};

export function useProxies() {
  const open: RawClient[] = [];
  const servers: { close: () => void }[] = [];
  const env = { XDG_STATE_HOME: join(inject('scratch'), `state-${randomUUID()}`) };
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const streams = { stdin, stdout: stdout.resume(), stderr: stderr.resume() };
  const io: Io = {
    ...streams,
    env,
    cwd: inject('scratch'),
    program: [],
    exitCode: 0,
    onStop: () => undefined,
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
    for (const server of servers.splice(0)) server.close();
  });

  const prepare = ({ url, key, agent, words = [], ...rules }: ProxyOptions, to: object) =>
    prepareProxy(
      {
        io,
        profile: { url, key, ...(agent !== undefined && { agent }) },
        profileName: 'test',
        output: new Output(true, io),
      },
      words,
      {
        wait: '0',
        readOnly: 'govern',
        onUnavailable: 'block',
        journal: `journal-${randomUUID()}.ndjson`,
        ...rules,
        ...to,
      },
    );

  /** A proxy on stdio before a server that does with each line as it is scripted. */
  async function openStdio(options: ProxyOptions, script: LineScript): Promise<LineClient> {
    const { openGate, flush } = await prepare({ words: ['srv'], ...options }, {});
    const server = new LineServer(script);
    const [says, hears] = [new PassThrough(), new PassThrough()];
    const ended = joinSides(openGate(), {
      client: { says, hears },
      server,
      stopped: new Promise(() => undefined),
      report: () => undefined,
    }).then(async (byClient) => {
      await flush();
      return byClient;
    });
    const client = new LineClient(says, hears, ended);
    open.push(client);
    return client;
  }

  async function openHttp(options: ProxyOptions, serve: Serve): Promise<HttpClient> {
    const server = await startServer(serve);
    servers.push(server);
    const { openGate, flush, target } = await prepare(options, {
      listen: '0',
      upstream: server.address,
    });
    if (target.kind !== 'http') throw new Error(target.kind);
    const serving = await serveHttp(target, openGate);
    const client = new HttpClient(serving.address, async () => {
      await serving.close();
      await flush();
    });
    open.push(client);
    return client;
  }

  return {
    openStdio,
    /** A proxy of either kind before a server of that kind, with a session that has begun. */
    async connect(way: Way, options: ProxyOptions, serve: Serve): Promise<RawClient> {
      const client =
        way === 'http'
          ? await openHttp(options, serve)
          : await openStdio(options, (message, say) => {
              const answer = message.id === undefined ? undefined : serve(message);
              if (answer) say(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer })}\n`);
            });
      await client.ask('initialize', INITIALIZE);
      return client;
    },
  };
}

/** A server over HTTP that answers each message in JSON. */
async function startServer(serve: Serve): Promise<{ address: string; close: () => void }> {
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      if (req.method !== 'POST') return res.writeHead(405).end();
      const message = JSON.parse(body) as Message;
      const answer = serve(message);
      if (!answer) return res.writeHead(202).end();
      res.writeHead(200, { 'content-type': 'application/json' });
      return res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    address: `http://127.0.0.1:${port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
