// The proxy for streamable HTTP: requests and answers pass through as they are, apart from tool calls and lists of tools.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Json, JsonObject } from '../../../sdk-typescript/src/index.ts';
import { canonicalize, isObject } from '../../../sdk-typescript/src/json.ts';
import { readEvents } from '../event-reader.ts';
import {
  createMalformed,
  getAnswerId,
  isCallOfTool,
  isElicitationAnswer,
  isRequestId,
  isToolCall,
  mayOpenAddress,
  type RequestId,
  type ToolCall,
} from './messages.ts';
import { CommandFailure } from '../output.ts';
import { encodeHeader, isParamHeader, ParamHeaders } from './param-headers.ts';
import type { ToolGate } from './tool-gate.ts';

interface HttpProxy {
  port: number;
  upstream: string;
}

const BODY_MAX = 4 * 1024 * 1024;
const SESSIONS_MAX = 1_000;
const HOST = '127.0.0.1';
/** Repeat the method and the name in the body, in the protocol's newer form. */
const METHOD_HEADER = 'mcp-method';
const NAME_HEADER = 'mcp-name';
/** A server's answer to headers that say something else than the body. */
const HEADER_MISMATCH = -32_020;
const PAGES_MAX = 100;
/** Headers of one hop (RFC 9110, 7.6.1), and those that the body's new form decides. */
const HOP = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-authorization',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ],
  ...['host', 'content-length', 'content-encoding', 'accept-encoding'],
]);

/** Serves until the process is asked to end. */
export async function runHttpProxy(
  { port, upstream }: HttpProxy,
  openGate: () => ToolGate,
): Promise<void> {
  const shared = { upstream, gates: new GateKeeper(openGate), params: new ParamHeaders() };
  const server = createServer((req, res) => {
    void new Exchange(shared, { req, res }).run().catch((error: unknown) => {
      if (res.headersSent) return void res.destroy();
      sendJson(res, 502, {
        error: `The MCP server cannot be reached: ${(error as Error).message}`,
      });
    });
  });
  server.listen(port, HOST);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`Port ${port} cannot be served: ${error.code ?? error.message}`);
  });
  const address = server.address();
  const listening = typeof address === 'object' ? address?.port : port;
  process.stderr.write(`assay: http://${HOST}:${listening}/mcp\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  server.close();
  server.closeAllConnections();
  await shared.gates.withdrawAll();
}

/** One gate a session, so that a request id of one is not taken for that of another. */
class GateKeeper {
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

/** What all requests have in common. */
interface Shared {
  upstream: string;
  gates: GateKeeper;
  params: ParamHeaders;
}

interface Sides {
  req: IncomingMessage;
  res: ServerResponse;
}

/** What a body says that headers repeat. */
interface About {
  method?: string;
  name?: string;
  /** Headers of arguments; undefined: those of the client. */
  params?: Record<string, string> | undefined;
}

/** One request of a client and its answer. */
class Exchange {
  readonly #upstream: string;
  readonly #gates: GateKeeper;
  readonly #params: ParamHeaders;
  readonly #sides: Sides;
  readonly #left = new AbortController();

  constructor({ upstream, gates, params }: Shared, sides: Sides) {
    this.#upstream = upstream;
    this.#gates = gates;
    this.#params = params;
    this.#sides = sides;
    sides.res.once('close', () => this.#left.abort(new Error('The client has left')));
  }

  async run(): Promise<void> {
    const { req, res } = this.#sides;
    // A page of any site can send requests here; only this host's name is served.
    if (!isLocal(req.headers.host))
      return sendJson(res, 403, { error: 'This proxy serves 127.0.0.1 alone' });
    const { origin } = req.headers;
    if (origin !== undefined && !(URL.canParse(origin) && isLocal(new URL(origin).host)))
      return sendJson(res, 403, { error: 'Pages of other origins are not served' });
    if (req.method !== 'POST') return this.#passOn(undefined);
    const body = await readBody(req);
    if (body === null)
      return sendJson(res, 413, { error: `A request has at most ${BODY_MAX} bytes` });
    const message = parse(body);
    if (message === undefined) return sendJson(res, 400, { error: 'The body is no JSON' });
    if (Array.isArray(message))
      return sendJson(res, 400, {
        error: 'Send one message a request: batches were removed from the protocol',
      });
    // The answer to a question of the proxy's own.
    if (isElicitationAnswer(message)) return void res.writeHead(202).end();
    const gate = this.#gates.get(this.#session);
    if (isToolCall(message)) return this.#answerCall(gate, message);
    if (isCallOfTool(message)) return sendJson(res, 400, createMalformed(message));
    // Written again, so that the server reads what was read here: of a member that stands twice, the last.
    const sent = JSON.stringify(message);
    if (!isObject(message)) return this.#passOn(sent);
    const { method, id, params } = message;
    if (method === 'tools/list' && isRequestId(id))
      return this.#listTools(gate, sent, {
        id,
        isFirstPage: !isObject(params) || params.cursor === undefined,
      });
    const canShow =
      method === 'initialize' && isObject(params) && mayOpenAddress(params.capabilities);
    return this.#passOn(sent, canShow);
  }

  get #session(): string {
    return String(this.#sides.req.headers['mcp-session-id'] ?? '');
  }

  /** Sends the request on and streams the answer back unread. `canShow`: the session that begins can show addresses. */
  async #passOn(body: string | undefined, canShow = false): Promise<void> {
    const answer = await this.#send(body);
    const opened = answer.headers.get('mcp-session-id');
    if (canShow && opened !== null) this.#gates.get(opened).mayOpenAddress = true;
    if (this.#sides.req.method === 'DELETE' && answer.ok)
      await this.#gates.endSession(this.#session);
    this.#writeHead(answer);
    if (answer.body)
      await pipeline(Readable.fromWeb(answer.body as ReadableStream), this.#sides.res);
    else this.#sides.res.end();
  }

  async #listTools(
    gate: ToolGate,
    body: string,
    { id, isFirstPage }: { id: RequestId; isFirstPage: boolean },
  ): Promise<void> {
    const { res } = this.#sides;
    const answer = await this.#send(body);
    const listed = await readAnswer(answer, id, () => undefined);
    this.#writeHead(answer, 'application/json');
    if (!isObject(listed?.result ?? null)) return void res.end(JSON.stringify(listed));
    const shown = listed!.result as JsonObject;
    this.#params.addTools(shown.tools);
    const result = await gate.listTools(shown, isFirstPage);
    res.end(JSON.stringify({ ...listed, result }));
  }

  async #answerCall(gate: ToolGate, call: ToolCall): Promise<void> {
    const { req, res } = this.#sides;
    const streams = String(req.headers.accept).includes('text/event-stream');
    const notify = (message: JsonObject): void => {
      if (!streams) return;
      if (!res.headersSent)
        res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      res.write(toEvent(message));
    };
    const forward = async (sent: ToolCall): Promise<JsonObject> => {
      const answer = await this.#forwardCall(sent, call, notify);
      if (!isMismatch(answer)) return answer;
      // Nothing has run: the server wants headers that a list of its tools declares.
      await this.#learnTools(call);
      return this.#forwardCall(sent, call, notify);
    };
    // Clients without a session count their requests alike: each request is a call of its own.
    const callId = this.#session === '' ? randomUUID() : String(call.id);
    const answer = await gate.answer(call, { forward, notify, signal: this.#left.signal, callId });
    if (res.destroyed) return;
    if (res.headersSent) res.end(toEvent(answer));
    else sendJson(res, 200, answer);
  }

  /** Sends a call with headers that say what its body says, which may be another call than the client's. */
  async #forwardCall(
    sent: ToolCall,
    asked: ToolCall,
    notify: (message: JsonObject) => void,
  ): Promise<JsonObject> {
    const { name, arguments: args } = sent.params;
    const isAsAsked =
      name === asked.params.name &&
      canonicalize(args ?? {}) === canonicalize(asked.params.arguments ?? {});
    const built = this.#params.build(name, args);
    const params = built ?? (isAsAsked ? undefined : {});
    const answer = await this.#send(JSON.stringify(sent), { name, params });
    const found = await readAnswer(answer, sent.id, notify);
    if (!found) throw new Error(`the MCP server answered ${answer.status}`);
    return found;
  }

  /** Asks the server for its tools, on behalf of a call. */
  async #learnTools({ id, params: { _meta } }: ToolCall): Promise<void> {
    let cursor: Json | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const params = {
        ...(_meta !== undefined && { _meta }),
        ...(cursor !== undefined && { cursor }),
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params });
      const answer = await this.#send(body, { method: 'tools/list', params: {} });
      const listed = await readAnswer(answer, id, () => undefined);
      const result = listed?.result ?? null;
      if (!isObject(result)) return;
      this.#params.addTools(result.tools);
      cursor = result.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') return;
    }
  }

  /** `about`: what the body says, where it is not what the client's headers say. */
  #send(body: string | undefined, about: About = {}): Promise<Response> {
    const { req } = this.#sides;
    const headers = new Headers();
    for (const [header, value] of Object.entries(req.headers))
      if (value !== undefined && !HOP.has(header))
        headers.set(header, Array.isArray(value) ? value.join(', ') : value);
    if (headers.has(METHOD_HEADER)) setAbout(headers, about);
    return fetch(this.#upstream, {
      method: req.method ?? 'GET',
      headers,
      ...(body === undefined ? {} : { body }),
      signal: this.#left.signal,
      redirect: 'manual',
    });
  }

  #writeHead(answer: Response, contentType?: string): void {
    const { res } = this.#sides;
    answer.headers.forEach((value, name) => {
      if (!HOP.has(name)) res.setHeader(name, value);
    });
    if (contentType !== undefined) res.setHeader('content-type', contentType);
    res.writeHead(answer.status);
  }
}

/** Finds the answer to a request in a body of JSON or of events; other messages go to `notify`. */
async function readAnswer(
  answer: Response,
  id: RequestId,
  notify: (message: JsonObject) => void,
): Promise<JsonObject | undefined> {
  if (!answer.headers.get('content-type')?.includes('text/event-stream')) {
    const message = parse(await answer.text());
    return isObject(message) ? message : undefined;
  }
  for await (const { data } of readEvents(answer.body!)) {
    const message = parse(data);
    if (!isObject(message)) continue;
    if (getAnswerId(message) === id) return message;
    notify(message);
  }
  return undefined;
}

async function readBody(req: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const isMismatch = ({ error = null }: JsonObject): boolean =>
  isObject(error) && error.code === HEADER_MISMATCH;

/** Has the headers of the protocol's newer form repeat a body that the proxy has written. */
function setAbout(headers: Headers, { method, name, params }: About): void {
  if (method !== undefined) {
    headers.set(METHOD_HEADER, method);
    headers.delete(NAME_HEADER);
  }
  if (name !== undefined) headers.set(NAME_HEADER, encodeHeader(name));
  if (!params) return;
  for (const header of [...headers.keys()]) if (isParamHeader(header)) headers.delete(header);
  for (const [header, value] of Object.entries(params)) headers.set(header, value);
}

const isLocal = (host = ''): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

const toEvent = (message: JsonObject): string =>
  `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
