// Passes every message of a client and a server on as it is, and takes tool calls and lists of tools out on their way.
import { AssayError } from '../../../sdk-typescript/src/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { readExact, readUnambiguous, writeExact } from './exact-json.ts';
import {
  createMalformed,
  getAnswerId,
  isCallOfTool,
  isElicitationAnswer,
  isRequestId,
  isToolCall,
  mayOpenAddress,
  NO_MESSAGE,
  readCallCapabilities,
  readCancelled,
  readOutcome,
  type RequestId,
  type ToolCall,
} from './messages.ts';
import { Passed } from './passed.ts';
import type { RunningCall } from './running-calls.ts';
import type { ToolGate } from './tool-gate.ts';
import { NotReached } from './upstream.ts';

interface Ways {
  toClient: (line: Uint8Array | string) => Promise<void>;
  toServer: (line: Uint8Array | string) => Promise<void>;
}

/** Gets the answer to a request that was sent on, as a message and as it came; null: it will not come. */
type Taker = (message: JsonObject | null, line: Uint8Array) => Promise<void> | void;

const NONE = new Uint8Array();

export class StdioBridge {
  readonly #gate: ToolGate;
  readonly #ways: Ways;
  /** Requests whose answers the proxy reads, by their ids. */
  readonly #takers = new Map<RequestId, Taker>();
  #hasEnded = false;

  constructor(gate: ToolGate, ways: Ways) {
    this.#gate = gate;
    this.#ways = ways;
  }

  async takeFromClient(line: Uint8Array): Promise<void> {
    let message: Json;
    try {
      message = readUnambiguous(new TextDecoder('utf-8', { fatal: true }).decode(line));
    } catch (error) {
      const problem = error instanceof AssayError ? error.message : 'The line is no JSON';
      return this.#reply(createMalformed(null, { code: -32_700, problem }));
    }
    if (!isObject(message)) return this.#reply(createMalformed(null, NO_MESSAGE));
    if (isToolCall(message)) return this.#answerCall(message, line);
    if (isCallOfTool(message)) return this.#reply(createMalformed(message));
    if (isElicitationAnswer(message)) return;
    this.#watchAnswer(message);
    const cancelled = readCancelled(message);
    // A call that is still held never reached the server.
    if (cancelled !== undefined && !this.#gate.calls.cancel(cancelled)) return;
    await this.#ways.toServer(line);
  }

  async takeFromServer(line: Uint8Array): Promise<void> {
    const message = parse(line);
    const id = message ? getAnswerId(message) : undefined;
    const taker = id === undefined ? undefined : this.#takers.get(id);
    if (!taker) return this.#ways.toClient(line);
    this.#takers.delete(id!);
    await taker(message, line);
  }

  /** The server has ended: what was passed on is not answered any more. Resolves when that is on the record. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    const takers = [...this.#takers.values()];
    this.#takers.clear();
    for (const take of takers) await take(null, NONE);
    await this.#gate.withdrawAll();
  }

  /** Has the answers read that name the server, or its tools. */
  #watchAnswer({ method, id, params = {} }: JsonObject): void {
    if (!isRequestId(id)) return;
    const asked = isObject(params) ? params : {};
    if (method === 'initialize') this.#gate.mayOpenAddress = mayOpenAddress(asked.capabilities);
    if (method === 'initialize' || method === 'server/discover')
      this.#takers.set(id, (message, line) => {
        if (message) this.#gate.server.learn(message);
        return this.#ways.toClient(line);
      });
    if (method === 'tools/list')
      this.#takers.set(id, async (message, line) => {
        const result = message?.result ?? null;
        if (message) this.#gate.server.learn(message);
        const changed = isObject(result) && (await this.#gate.listTools(result, asked.cursor));
        await (changed ? this.#reply({ ...message, result: changed }) : this.#ways.toClient(line));
      });
  }

  async #answerCall(call: ToolCall, line: Uint8Array): Promise<void> {
    const wasHolding = this.#gate.isHolding;
    const notify = (message: JsonObject): void => void this.#reply(message).catch(() => undefined);
    await this.#gate.calls.run(call.id, (running) =>
      this.#gate.answer(call, {
        running,
        forward: (sent) => this.#forward(sent, sent === call ? line : writeExact(sent), running),
        discover: () => this.#discover(call),
        notify,
        reply: notify,
      }),
    );
    // `assay_await` came or went.
    if (this.#gate.isHolding !== wasHolding)
      notify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }

  async #forward(
    { id }: ToolCall,
    line: Uint8Array | string,
    { signal }: RunningCall,
  ): Promise<Passed> {
    if (this.#hasEnded) throw new NotReached('it has ended');
    const answer = new Promise<Passed>((resolve) => {
      const lose = (problem: string): void => resolve(new Passed({ outcome: 'unknown', problem }));
      this.#takers.set(id, (message, answered) => {
        if (!message) return lose('the server ended');
        const relay = (): Promise<void> => this.#ways.toClient(answered);
        resolve(new Passed({ outcome: readOutcome(message), message, relay }));
      });
      const leave = (): void => lose('it was cancelled');
      signal.addEventListener('abort', leave, { once: true });
    });
    await this.#ways.toServer(line);
    return answer;
  }

  /** Asks the server for its name, where the connection did not begin with it. */
  async #discover({ params: { _meta = {} }, ...call }: ToolCall): Promise<void> {
    if (readCallCapabilities({ ...call, params: { name: '', _meta } }) === undefined) return;
    const id = `assay-discover-${crypto.randomUUID()}`;
    const asked = { jsonrpc: '2.0', id, method: 'server/discover', params: { _meta } };
    await new Promise<void>((resolve) => {
      this.#takers.set(id, (message) => {
        if (message) this.#gate.server.learn(message);
        resolve();
      });
      this.#ways.toServer(writeExact(asked)).catch(() => resolve());
    });
  }

  #reply(message: JsonObject): Promise<void> {
    return this.#ways.toClient(writeExact(message));
  }
}

/** What a server writes that is no message passes on, as it would without the proxy. */
function parse(line: Uint8Array): JsonObject | null {
  try {
    const value = readExact(Buffer.from(line).toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
