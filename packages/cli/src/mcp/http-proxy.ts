// The proxy for streamable HTTP: requests and answers pass through as they are, apart from tool calls and lists of tools.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { CommandFailure } from '../output.ts';
import type { Io } from '../io.ts';
import { Exchange } from './http-exchange.ts';
import { ParamHeaders } from './param-headers.ts';
import type { ToolGate } from './tool-gate.ts';

interface HttpProxy {
  port: number;
  upstream: string;
}

const SESSIONS_MAX = 1_000;
const HOST = '127.0.0.1';

/** A proxy that serves. */
interface Serving {
  address: string;
  /** Ends it; resolves when what it holds is withdrawn. */
  close: () => Promise<void>;
}

/** Serves until it is asked to end. */
export async function runHttpProxy(
  proxy: HttpProxy,
  openGate: () => ToolGate,
  { stderr, onStop }: Io,
): Promise<void> {
  const { address, close } = await serveHttp(proxy, openGate);
  // Whoever reads the address may ask it to end at once.
  const stopped = new Promise<void>((resolve) => onStop(resolve));
  stderr.write(`assay: ${address}\n`);
  await stopped;
  await close();
}

/** @throws CommandFailure when the port is taken */
export async function serveHttp(
  { port, upstream }: HttpProxy,
  openGate: () => ToolGate,
): Promise<Serving> {
  const shared = { upstream, gates: new GateKeeper(openGate), params: new ParamHeaders() };
  const server = createServer((req, res) => {
    void new Exchange(shared, { req, res }).run().catch((error: unknown) => {
      if (res.headersSent) return void res.destroy();
      const problem = `The MCP server cannot be reached: ${(error as Error).message}`;
      res
        .writeHead(502, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: problem }));
    });
  });
  server.listen(port, HOST);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`Port ${port} cannot be served: ${error.code ?? error.message}`);
  });
  const listening = server.address();
  return {
    address: `http://${HOST}:${typeof listening === 'object' ? listening?.port : port}/mcp`,
    async close() {
      server.close();
      server.closeAllConnections();
      await shared.gates.withdrawAll();
    },
  };
}

/** One gate a session, so that a request id of one is not taken for that of another. */
export class GateKeeper {
  readonly #open: () => ToolGate;
  readonly #gates = new Map<string, ToolGate>();

  constructor(open: () => ToolGate) {
    this.#open = open;
  }

  /** Returns the gate of a session; without sessions all clients share one. */
  get(session: string): ToolGate {
    const gate = this.#gates.get(session) ?? this.#open();
    this.#gates.delete(session);
    this.#gates.set(session, gate);
    const [oldest] = this.#gates.keys();
    if (this.#gates.size > SESSIONS_MAX && oldest !== undefined) {
      void this.#gates.get(oldest)?.withdrawAll();
      this.#gates.delete(oldest);
    }
    return gate;
  }

  /** Ends a session: what it holds is withdrawn, since no one can ask for it any more. */
  async endSession(session: string): Promise<void> {
    const gate = this.#gates.get(session);
    this.#gates.delete(session);
    await gate?.withdrawAll();
  }

  async withdrawAll(): Promise<void> {
    await Promise.all([...this.#gates.values()].map((gate) => gate.withdrawAll()));
  }
}
