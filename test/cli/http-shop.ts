// An MCP server over streamable HTTP: the protocol's newer form, and sessions with resumable streams for the older.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import {
  createMcpHandler,
  type EventId,
  type EventStore,
  type JSONRPCMessage,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Keeps every event, so that a stream that was cut goes on where it was. */
class KeptEvents implements EventStore {
  readonly #events: { id: EventId; stream: string; message: JSONRPCMessage }[] = [];

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<EventId> {
    const id = `${stream}_${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return id;
  }

  async replayEventsAfter(
    last: EventId,
    { send }: { send: (id: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === last);
    const { stream } = this.#events[at]!;
    for (const event of this.#events.slice(at + 1))
      if (event.stream === stream) await send(event.id, event.message);
    return stream;
  }
}

export class HttpShop {
  /** What the shop did. */
  readonly done: { tool: string; args: unknown }[] = [];
  /** Sessions that are open. */
  readonly sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  readonly #newer = createMcpHandler(() => this.#createShop(), { legacy: 'reject' });
  readonly #server: Server;
  /** The description of a tool, which the server may change at any time. */
  description = 'Pays money back';

  constructor() {
    this.#server = createServer((req, res) => {
      void this.#answer(req, res).catch((error: Error) => res.destroy(error));
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address() as { port: number };
    return `http://127.0.0.1:${address.port}/mcp`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = req.method === 'POST' ? await buffer(req) : undefined;
    const request = new Request(`http://${req.headers.host}${req.url}`, {
      method: req.method!,
      headers: Object.entries(req.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
      ...(body && { body }),
    });
    const parsed: unknown = body ? JSON.parse(body.toString()) : undefined;
    const answer = (await isLegacyRequest(request.clone(), parsed))
      ? await this.#answerSession(request, parsed)
      : await this.#newer.fetch(request);
    res.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body as ReadableStream).pipe(res);
    else res.end();
  }

  async #answerSession(request: Request, parsed: unknown): Promise<Response> {
    const known = this.sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    if ((parsed as { method?: string } | undefined)?.method !== 'initialize')
      return new Response(null, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new KeptEvents(),
      onsessioninitialized: (id) => void this.sessions.set(id, transport),
      onsessionclosed: (id) => void this.sessions.delete(id),
    });
    await this.#createShop().connect(transport);
    return transport.handleRequest(request);
  }

  #createShop(): McpServer {
    const server = new McpServer({ name: 'shop', version: '1.0.0' }, { instructions: 'A shop.' });
    server.registerTool(
      'look_up',
      { description: 'Finds an order', inputSchema: z.object({ order: z.string() }) },
      ({ order }) => this.#note('look_up', { order }, `order ${order}`),
    );
    // The order travels in a header too: the server refuses a call whose header says another one.
    const order = z.string().meta({ 'x-mcp-header': 'Order' });
    const refund = z.object({ order, amount: z.number() });
    server.registerTool(
      'issue_refund',
      { description: this.description, inputSchema: refund },
      (args) => this.#note('issue_refund', args, `paid ${args.amount}`),
    );
    return server;
  }

  #note(tool: string, args: unknown, text: string) {
    this.done.push({ tool, args });
    return { content: [{ type: 'text' as const, text }] };
  }
}
