// Passes every message of a client and a server on as it is, and takes tool calls and lists of tools out on their way.
import { AssayError, Invalid } from '../../../sdk-typescript/src/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { readExact, readUnambiguous, writeExact } from './exact-json.ts';
import {
  createMalformed,
  getAnswerKey,
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
  toKey,
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

/** Waits for the answer to a request that was sent on. */
interface Taker {
  /** Gets the answer, as a message and as it came. */
  take: (message: JsonObject, line: Uint8Array | string) => Promise<void> | void;
  /** Hears why the answer will not come. */
  lose: (problem: string) => Promise<void> | void;
}

const CARRIAGE_RETURN = 13;
const SPACE = 32;
/** The code by which libraries say that a connection has ended. */
const LOST = -32_000;

export class StdioBridge {
  readonly #gate: ToolGate;
  readonly #ways: Ways;
  /** Requests whose answers the proxy reads, by their ids. */
  readonly #takers = new Map<RequestId, Taker>();
  /** Resolves when the server has answered who it is; undefined: no one asked yet. */
  #greeting: Promise<void> | undefined;
  #hasEnded = false;

  constructor(gate: ToolGate, ways: Ways) {
    this.#gate = gate;
    this.#ways = ways;
  }

  async takeFromClient(given: Uint8Array): Promise<void> {
    // Some servers take it for the end of a line, and what follows for a message that no one has read.
    const line = given.includes(CARRIAGE_RETURN)
      ? given.map((byte) => (byte === CARRIAGE_RETURN ? SPACE : byte))
      : given;
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

  /** Answers a line of the client that is too long to be read. */
  refuseFromClient(problem: string): Promise<void> {
    return this.#reply(createMalformed(null, { code: -32_600, problem }));
  }

  /** Takes a line apart where it holds several messages. */
  async takeFromServer(line: Uint8Array): Promise<void> {
    const message = parse(line);
    if (!Array.isArray(message)) return this.#takeAnswer(message, line);
    for (const one of message) await this.#takeAnswer(one, writeExact(one));
  }

  /** A line that cannot be read may have been the answer to any request. */
  async loseFromServer(problem: string): Promise<void> {
    const takers = [...this.#takers.values()];
    this.#takers.clear();
    for (const { lose } of takers) await lose(problem);
  }

  /** The server has ended: what was passed on is not answered any more. Resolves when that is on the record. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.loseFromServer('the server ended');
    await this.#gate.withdrawAll();
  }

  async #takeAnswer(message: Json, line: Uint8Array | string): Promise<void> {
    const key = getAnswerKey(message);
    const taker = key === undefined ? undefined : this.#takers.get(key);
    if (key !== undefined && taker) {
      this.#takers.delete(key);
      return taker.take(message as JsonObject, line);
    }
    // The server was not asked, or has answered before.
    if (key !== undefined && this.#gate.calls.has(key)) return;
    await this.#ways.toClient(line);
  }

  /** Has the answers read that name the server, or its tools. */
  #watchAnswer({ method, id, params = {} }: JsonObject): void {
    if (!isRequestId(id)) return;
    const asked = isObject(params) ? params : {};
    if (method === 'initialize') this.#gate.mayOpenAddress = mayOpenAddress(asked.capabilities);
    const isGreeting = method === 'initialize' || method === 'server/discover';
    if (!isGreeting && method !== 'tools/list') return;
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    if (isGreeting) this.#greeting = finished;
    this.#takers.set(toKey(id), {
      take: async (message, line) => {
        this.#gate.server.learn(message);
        const { result = null } = message;
        const changed =
          method === 'tools/list' && isObject(result)
            ? await this.#gate.listTools(result, asked.cursor)
            : null;
        finish();
        const given = changed ? writeExact({ ...message, result: changed }) : line;
        await this.#ways.toClient(given);
      },
      lose: (problem) => {
        finish();
        return this.#reply({ jsonrpc: '2.0', id, error: { code: LOST, message: problem } });
      },
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
    const key = toKey(id);
    const answer = new Promise<Passed>((resolve) => {
      const lose = (problem: string): void => resolve(new Passed({ outcome: 'unknown', problem }));
      const take = (message: JsonObject, answered: Uint8Array | string): void => {
        const relay = (): Promise<void> => this.#ways.toClient(answered);
        resolve(new Passed({ outcome: readOutcome(message), message, relay }));
      };
      this.#takers.set(key, { take, lose });
      const leave = (): void => {
        this.#takers.delete(key);
        lose('it was cancelled');
      };
      signal.addEventListener('abort', leave, { once: true });
    });
    await this.#ways.toServer(line);
    return answer;
  }

  /** Has the server say its name, where the connection did not begin with it. @throws Invalid in the older form */
  async #discover({ params: { _meta = {} }, ...call }: ToolCall): Promise<void> {
    if (readCallCapabilities({ ...call, params: { name: '', _meta } }) === undefined) {
      if (!this.#greeting) throw new Invalid('Send initialize before a call');
      return this.#greeting;
    }
    const id = `assay-discover-${crypto.randomUUID()}`;
    const asked = { jsonrpc: '2.0', id, method: 'server/discover', params: { _meta } };
    await new Promise<void>((resolve) => {
      this.#takers.set(id, {
        take: (message) => {
          this.#gate.server.learn(message);
          resolve();
        },
        lose: () => resolve(),
      });
      this.#ways.toServer(writeExact(asked)).catch(() => resolve());
    });
  }

  #reply(message: JsonObject): Promise<void> {
    return this.#ways.toClient(writeExact(message));
  }
}

/** What a server writes that is no message passes on, as it would without the proxy. */
function parse(line: Uint8Array): Json {
  try {
    return readExact(new TextDecoder().decode(line));
  } catch {
    return null;
  }
}
