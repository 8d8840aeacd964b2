// One request of a client over HTTP and its answer: passed through as they are, apart from tool calls and lists of tools.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { AssayError } from '../../../sdk-typescript/src/index.ts';
import {
  canonicalize,
  isObject,
  type Json,
  type JsonObject,
} from '../../../sdk-typescript/src/json.ts';
import { isEventStream, type Reading, readReply } from './answer-reader.ts';
import { ClientSide } from './client-side.ts';
import { readUnambiguous, toPlain, writeExact } from './exact-json.ts';
import type { GateKeeper } from './http-proxy.ts';
import {
  createMalformed,
  isCallOfTool,
  isCursor,
  isElicitationAnswer,
  isRequestId,
  isToolCall,
  mayOpenAddress,
  MESSAGE_BYTES_MAX,
  NO_MESSAGE,
  readCallCapabilities,
  readCancelled,
  readOutcome,
  type RequestId,
  type ToolCall,
} from './messages.ts';
import { encodeHeader, isParamHeader, type ParamHeaders } from './param-headers.ts';
import { Passed } from './passed.ts';
import type { RunningCall } from './running-calls.ts';
import type { ToolGate } from './tool-gate.ts';
import { HOP, listHeaders, sendUpstream } from './upstream.ts';

/** What all requests have in common. */
export interface Shared {
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

/** A request to the server, where it differs from the client's. */
interface Sent {
  method?: string;
  body?: string | undefined;
  about?: About;
  headers?: Record<string, string>;
  /** Default: the time until the client has left. */
  signal?: AbortSignal;
}

/** Repeat the method and the name in the body, in the protocol's newer form. */
const METHOD_HEADER = 'mcp-method';
const NAME_HEADER = 'mcp-name';
const SESSION_HEADER = 'mcp-session-id';
/** A server's answer to headers that say something else than the body. */
const HEADER_MISMATCH = -32_020;
const PAGES_MAX = 100;
/** What is about the client's own connection, or decided by the body's new form. */
const OWN = new Set(['host', 'content-length', 'content-encoding', 'accept-encoding', 'expect']);
/** By these the server says, before it acts, that it does not know the caller or the session. */
const NOT_RUN = new Set([401, 404]);
/** Methods whose answers name the server, or its tools. */
const READ = new Set(['initialize', 'server/discover', 'tools/list']);

export class Exchange {
  readonly #shared: Shared;
  readonly #sides: Sides;
  readonly #client: ClientSide;
  readonly #left = new AbortController();

  constructor(shared: Shared, sides: Sides) {
    this.#shared = shared;
    this.#sides = sides;
    this.#client = new ClientSide(sides);
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
    const bytes = await readBody(req);
    if (bytes === null)
      return sendJson(res, 413, { error: `A request has at most ${MESSAGE_BYTES_MAX} bytes` });
    let message: Json;
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      message = readUnambiguous(text);
    } catch (error) {
      const why = error instanceof AssayError ? error.message : 'The body is no JSON';
      return sendJson(res, 400, { error: why });
    }
    if (!isObject(message)) return sendJson(res, 400, createMalformed(null, NO_MESSAGE));
    return this.#takeMessage(message, text);
  }

  async #takeMessage(message: JsonObject, text: string): Promise<void> {
    const { res } = this.#sides;
    // The answer to a question of the proxy's own.
    if (isElicitationAnswer(message)) return void res.writeHead(202).end();
    const gate = this.#shared.gates.get(this.#session);
    if (isToolCall(message)) return this.#answerCall(gate, message, text);
    if (isCallOfTool(message)) return sendJson(res, 400, createMalformed(message));
    const cancelled = this.#session === '' ? undefined : readCancelled(message);
    // A call that is still held never reached the server.
    if (cancelled !== undefined && !gate.calls.cancel(cancelled))
      return void res.writeHead(202).end();
    const { method, id } = message;
    if (typeof method === 'string' && READ.has(method) && isRequestId(id))
      return this.#passRead(gate, message, text);
    return this.#passOn(text);
  }

  get #session(): string {
    return String(this.#sides.req.headers[SESSION_HEADER] ?? '');
  }

  /** Sends the request on and streams the answer back unread. */
  async #passOn(body: string | undefined): Promise<void> {
    const { req, res } = this.#sides;
    const answer = await this.#send({ body });
    const isOk = (answer.statusCode ?? 0) < 300;
    if (req.method === 'DELETE' && isOk) await this.#shared.gates.endSession(this.#session);
    this.#client.begin(answer, false);
    await pipeline(answer, res);
  }

  /** Sends a request on whose answer says something that the proxy needs. */
  async #passRead(gate: ToolGate, message: JsonObject, body: string): Promise<void> {
    const { method, id, params = {} } = message as JsonObject & { id: RequestId };
    const asked = isObject(params) ? params : {};
    const answer = await this.#send({ body });
    const opened = answer.headers[SESSION_HEADER];
    if (method === 'initialize' && typeof opened === 'string')
      this.#shared.gates.get(opened).mayOpenAddress = mayOpenAddress(asked.capabilities);
    const { message: found, relay } = await this.#read(id, answer);
    if (found) gate.server.learn(found);
    const result = found?.result ?? null;
    if (method === 'tools/list' && found && isObject(result)) {
      this.#shared.params.addTools(result.tools);
      const changed = await gate.listTools(result, asked.cursor);
      if (changed) return this.#client.reply({ ...found, result: changed });
    }
    if (relay) await relay();
    else this.#client.end();
  }

  async #answerCall(gate: ToolGate, call: ToolCall, text: string): Promise<void> {
    const isOpen = this.#session !== '';
    // Clients without a session count their requests alike.
    const key = isOpen ? call.id : crypto.randomUUID();
    await gate.calls.run(key, async (running) => {
      // In a session a lost connection is no end of a call: its client may come back for the rest.
      const leave = (): void => {
        if (!isOpen || !running.isPassedOn) running.end('The client has left');
      };
      this.#left.signal.addEventListener('abort', leave);
      if (this.#left.signal.aborted) leave();
      await gate.answer(call, {
        running,
        forward: (sent) => this.#forward(sent, { call, text, running }),
        discover: () => this.#discover(gate, call),
        notify: (message) => this.#client.notify(message),
        reply: (message) => this.#client.reply(message),
      });
    });
  }

  /** Passes a call on, with headers that say what its body says, which may be another call than the client's. */
  async #forward(sent: ToolCall, asked: Asked): Promise<Passed> {
    let answer = await this.#forwardOnce(sent, asked);
    if (isMismatch(answer.reading)) {
      // Nothing has run: the server wants headers that a list of its tools declares.
      await this.#learnTools(asked.call);
      answer = await this.#forwardOnce(sent, asked);
    }
    const { status } = answer;
    const { message, relay } = answer.reading;
    const otherwise = NOT_RUN.has(status) ? 'failed' : 'unknown';
    const outcome = message ? readOutcome(message) : otherwise;
    const problem = status < 300 ? {} : { problem: `the MCP server answered ${status}` };
    return new Passed({
      outcome,
      ...problem,
      ...(message && { message }),
      ...(relay && { relay }),
    });
  }

  async #forwardOnce(sent: ToolCall, { call, text, running }: Asked): Promise<Forwarded> {
    const { name, arguments: args } = sent.params;
    const isAsAsked =
      name === call.params.name &&
      canonicalize(toPlain(args ?? {})) === canonicalize(toPlain(call.params.arguments ?? {}));
    const built = this.#shared.params.build(name, toPlain(args ?? {}));
    const params = built ?? (isAsAsked ? undefined : {});
    const body = sent === call ? text : writeExact(sent);
    const { signal } = running;
    const answer = await this.#send({ body, about: { name, params }, signal });
    const reading = await this.#read(sent.id, answer, signal);
    return { status: answer.statusCode ?? 0, reading };
  }

  #read(id: RequestId, answer: IncomingMessage, signal = this.#left.signal): Promise<Reading> {
    const resume = async (lastId: string): Promise<IncomingMessage | null> => {
      const headers = { accept: 'text/event-stream', 'last-event-id': lastId };
      const again = await this.#send({ method: 'GET', headers, signal }).catch(() => null);
      if (again?.statusCode === 200 && isEventStream(again)) return again;
      again?.resume();
      const status = again?.statusCode ?? 503;
      if (status < 500 && status !== 429) throw new Error('The stream does not go on');
      return null;
    };
    return readReply({ id, answer, client: this.#client, resume, signal });
  }

  /** Sends a request of the proxy's own, and returns its answer. */
  async #ask(
    body: JsonObject & { id: RequestId },
    headers = {},
  ): Promise<[JsonObject | null, IncomingMessage]> {
    const { method } = body as { method?: string };
    const about = { ...(method !== undefined && { method }), params: {} };
    const answer = await this.#send({ body: writeExact(body), about, headers });
    const client = new ClientSide({ req: SILENT, res: this.#sides.res });
    const resume = (): Promise<null> => Promise.reject(new Error('It is not asked again'));
    const { signal } = this.#left;
    const { message } = await readReply({ id: body.id, answer, client, resume, signal });
    return [message, answer];
  }

  /** Learns the server's name: by the newer form's own question, or in a session that ends at once. */
  async #discover({ server }: ToolGate, call: ToolCall): Promise<void> {
    const { id, jsonrpc } = call;
    try {
      if (readCallCapabilities(call) !== undefined) {
        const params = { _meta: call.params._meta ?? {} };
        const [found] = await this.#ask({ jsonrpc, id, method: 'server/discover', params });
        return void (found && server.learn(found));
      }
      const headers = { [SESSION_HEADER]: '' };
      const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: CLIENT_INFO };
      const [found, answer] = await this.#ask(
        { jsonrpc, id, method: 'initialize', params },
        headers,
      );
      if (found) server.learn(found);
      const opened = answer.headers[SESSION_HEADER];
      if (typeof opened !== 'string') return;
      const ended = await this.#send({ method: 'DELETE', headers: { [SESSION_HEADER]: opened } });
      ended.resume();
    } catch {
      // The call itself says what is wrong with the server.
    }
  }

  /** Asks the server for its tools, on behalf of a call. */
  async #learnTools({ id, jsonrpc, params: { _meta } }: ToolCall): Promise<void> {
    let cursor: Json | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const params = {
        ...(_meta !== undefined && { _meta }),
        ...(cursor !== undefined && { cursor }),
      };
      const [listed] = await this.#ask({ jsonrpc, id, method: 'tools/list', params });
      const result = listed?.result ?? null;
      if (!isObject(result)) return;
      this.#shared.params.addTools(result.tools);
      cursor = result.nextCursor;
      if (!isCursor(cursor)) return;
    }
  }

  #send({
    method,
    body,
    about = {},
    headers: more = {},
    signal = this.#left.signal,
  }: Sent): Promise<IncomingMessage> {
    const { req } = this.#sides;
    const headers: Record<string, string | string[]> = { 'accept-encoding': 'identity' };
    for (const [name, values] of listHeaders(req, false))
      if (!HOP.has(name) && !OWN.has(name))
        headers[name] = values.length === 1 ? values[0]! : values;
    if (headers[METHOD_HEADER] !== undefined) setAbout(headers, about);
    for (const [name, value] of Object.entries(more)) {
      if (value === '') delete headers[name];
      else headers[name] = value;
    }
    if (body === undefined) delete headers['content-type'];
    return sendUpstream(this.#shared.upstream, {
      method: method ?? req.method ?? 'GET',
      headers,
      body,
      signal,
    });
  }
}

interface Asked {
  call: ToolCall;
  /** The call as its client wrote it. */
  text: string;
  running: RunningCall;
}

interface Forwarded {
  status: number;
  reading: Reading;
}

/** A client that takes no events: what is asked on the proxy's own behalf reaches no one else. */
const SILENT = { headers: {} } as IncomingMessage;
const PROTOCOL = '2025-06-18';
const CLIENT_INFO = { name: 'assay-mcp-proxy', version: '0.1.0' };

async function readBody(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MESSAGE_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isMismatch({ message }: Reading): boolean {
  const error = message?.error ?? null;
  return isObject(error) && error.code === HEADER_MISMATCH;
}

/** Has the headers of the protocol's newer form repeat a body that the proxy has written. */
function setAbout(
  headers: Record<string, string | string[]>,
  { method, name, params }: About,
): void {
  if (method !== undefined) {
    headers[METHOD_HEADER] = method;
    delete headers[NAME_HEADER];
  }
  if (name !== undefined) headers[NAME_HEADER] = encodeHeader(name);
  if (!params) return;
  for (const header of Object.keys(headers)) if (isParamHeader(header)) delete headers[header];
  Object.assign(headers, params);
}

const isLocal = (host = ''): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
