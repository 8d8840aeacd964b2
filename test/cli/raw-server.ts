// An MCP server that answers each tool by its own script, byte by byte, and keeps what it got.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Got {
  /** The body, as it came. */
  body: string;
  message: { id: number; method: string; params: { name: string; cursor?: string } };
  headers: IncomingMessage['headers'];
}

type Script = (res: ServerResponse, got: Got) => void | Promise<void>;

export class RawServer {
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #server: Server;
  /** Calls of tools: what stands here has run. */
  readonly calls: Got[] = [];
  /** `Last-Event-ID` of each GET. */
  readonly resumed: string[] = [];

  /** `scripts`: by the tool's name, or by the method; `GET` answers a stream that goes on. */
  constructor(scripts: Readonly<Record<string, Script>>) {
    this.#scripts = scripts;
    this.#server = createServer((req, res) => void this.#answer(req, res));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/mcp`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    if (req.method !== 'POST') {
      this.resumed.push(String(req.headers['last-event-id']));
      const script = this.#scripts[req.method!];
      const message = { id: 0, method: '', params: { name: '' } };
      if (script) return script(res, { body, message, headers: req.headers });
      return void res.writeHead(405).end();
    }
    const message = JSON.parse(body) as Got['message'];
    const got = { body, message, headers: req.headers };
    if (message.method === 'initialize')
      return sendJson(res, `{"jsonrpc":"2.0","id":${message.id},"result":${SERVER}}`);
    if (message.method === 'tools/call') this.calls.push(got);
    const name = message.method === 'tools/call' ? message.params.name : message.method;
    await this.#scripts[name]!(res, got);
  }
}

const SERVER =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"Raw Bank","version":"1"}}';

export function sendJson(res: ServerResponse, body: string, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

export const beginEvents = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'content-type': 'text/event-stream' });

/** The text of an answer whose result holds one text. */
export const toAnswer = ({ message }: Got, words: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: message.id,
    result: { content: [{ type: 'text', text: words }] },
  });
