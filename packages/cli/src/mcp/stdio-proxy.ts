// The proxy between a client on standard input and output and a server that it starts: messages pass through as they are.
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Json, JsonObject } from '../../../sdk-typescript/src/index.ts';
import { isObject } from '../../../sdk-typescript/src/json.ts';
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
import type { ToolGate } from './tool-gate.ts';

type Message = Parameters<StdioServerTransport['send']>[0];

interface Upstream {
  command: string;
  args: string[];
}

/** Runs until the client or the server ends; resolves with whether the client ended it. */
export async function runStdioProxy({ command, args }: Upstream, gate: ToolGate): Promise<boolean> {
  const server = new StdioClientTransport({
    command,
    args,
    env: copyEnvironment(),
    stderr: 'inherit',
  });
  const client = new StdioServerTransport();
  const bridge = new StdioBridge(gate, {
    toClient: (message) => client.send(message as unknown as Message),
    toServer: (message) => server.send(message as unknown as Message),
  });
  const ended = new Promise<boolean>((resolve) => {
    server.onclose = () => resolve(false);
    client.onclose = () => resolve(true);
    process.stdin.once('end', () => resolve(true));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(true));
  });
  server.onmessage = (message) => void bridge.takeFromServer(message as unknown as JsonObject);
  client.onmessage = (message) => void bridge.takeFromClient(message as unknown as JsonObject);
  await server.start();
  await client.start();
  const byClient = await ended;
  bridge.end();
  await gate.withdrawAll();
  await Promise.allSettled([server.close(), client.close()]);
  return byClient;
}

interface Ways {
  toClient: (message: JsonObject) => Promise<void>;
  toServer: (message: JsonObject) => Promise<void>;
}

/** Passes every message on, and takes tool calls and lists of tools out on their way. */
export class StdioBridge {
  readonly #gate: ToolGate;
  readonly #ways: Ways;
  /** Calls that were sent on, by the id of their request. */
  readonly #forwarded = new Map<RequestId, (answer: JsonObject) => void>();
  /** Requests for a list of tools, and whether each is for the first page. */
  readonly #listings = new Map<RequestId, boolean>();
  readonly #running = new Map<RequestId, AbortController>();

  constructor(gate: ToolGate, ways: Ways) {
    this.#gate = gate;
    this.#ways = ways;
  }

  async takeFromClient(message: JsonObject): Promise<void> {
    if (isToolCall(message)) return this.#answerCall(message);
    if (isCallOfTool(message)) return this.#ways.toClient(createMalformed(message));
    if (isElicitationAnswer(message)) return;
    const { method, id, params } = message;
    if (method === 'tools/list' && isRequestId(id))
      this.#listings.set(id, !isObject(params) || params.cursor === undefined);
    if (method === 'initialize' && isObject(params))
      this.#gate.mayOpenAddress = mayOpenAddress(params.capabilities);
    const cancelled =
      message.method === 'notifications/cancelled' ? getCancelledId(message) : undefined;
    const running = cancelled === undefined ? undefined : this.#running.get(cancelled);
    running?.abort(new Error('The client cancelled the request'));
    // A call that is still held never reached the server.
    if (running && !this.#forwarded.has(cancelled!)) return;
    await this.#ways.toServer(message);
  }

  async takeFromServer(message: JsonObject): Promise<void> {
    const id = getAnswerId(message);
    const forwarded = id === undefined ? undefined : this.#forwarded.get(id);
    if (forwarded) {
      this.#forwarded.delete(id!);
      return forwarded(message);
    }
    const isFirstPage = id === undefined ? undefined : this.#listings.get(id);
    if (isFirstPage !== undefined && isObject(message.result)) {
      this.#listings.delete(id!);
      const result = await this.#gate.listTools(message.result, isFirstPage);
      return this.#ways.toClient({ ...message, result });
    }
    await this.#ways.toClient(message);
  }

  /** Ends what waits. */
  end(): void {
    for (const running of this.#running.values()) running.abort(new Error('The connection ended'));
    for (const [id, resolve] of this.#forwarded)
      resolve({
        jsonrpc: '2.0',
        id,
        error: { code: -32_000, message: 'The server ended during the call' },
      });
    this.#forwarded.clear();
  }

  async #answerCall(call: ToolCall): Promise<void> {
    const running = new AbortController();
    this.#running.set(call.id, running);
    const wasHolding = this.#gate.isHolding;
    const forward = (sent: ToolCall): Promise<JsonObject> =>
      new Promise((resolve, reject) => {
        this.#forwarded.set(sent.id, resolve);
        this.#ways.toServer(sent).catch(reject);
      });
    const notify = (message: JsonObject): void =>
      void this.#ways.toClient(message).catch(() => undefined);
    const path = { forward, notify, signal: running.signal, callId: String(call.id) };
    const answer = await this.#gate.answer(call, path);
    this.#running.delete(call.id);
    await this.#ways.toClient(answer).catch(() => undefined);
    // `assay_await` came or went.
    if (this.#gate.isHolding !== wasHolding)
      notify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }
}

function getCancelledId({ params }: JsonObject): RequestId | undefined {
  const id: Json | undefined = isObject(params) ? params.requestId : undefined;
  return isRequestId(id) ? id : undefined;
}

function copyEnvironment(): Record<string, string> {
  const { ASSAY_KEY: _, ASSAY_TOKEN: __, ...environment } = process.env;
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}
