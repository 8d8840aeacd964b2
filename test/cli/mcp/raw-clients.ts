// Clients of a proxy that speak JSON-RPC without a library, and a server on stdio that does with each line as it is scripted.
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { createInterface } from 'node:readline';

/** A message as a client or a server reads it. */
export interface Message {
  id?: unknown;
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown>; cursor?: string };
  result?: {
    isError?: boolean;
    content?: { text: string }[];
    tools?: { name: string }[];
    _meta?: Record<string, string>;
  };
  error?: { code: number; message: string };
}

export const readText = ({ result, error }: Message): string =>
  result?.content?.map(({ text }) => text).join() ?? error?.message ?? '';
export const readDecision = ({ result }: Message): string => result!._meta!['dev.assay/decision']!;
export const toText = (text: string): object => ({ result: { content: [{ type: 'text', text }] } });

export abstract class RawClient {
  #id = 0;

  /** Sends a request, and returns its answer. */
  abstract ask(method: string, params?: object, id?: string | number): Promise<Message>;
  /** Ends the client; resolves when the proxy has ended. */
  abstract close(): Promise<unknown>;

  protected nextId(): number {
    this.#id += 1;
    return this.#id;
  }

  call(name: string, args: object = {}, id?: string | number): Promise<Message> {
    return this.ask('tools/call', { name, arguments: args }, id);
  }

  /** Lists the tools, or a page of them. */
  list(cursor?: string): Promise<Message> {
    return this.ask('tools/list', cursor === undefined ? {} : { cursor });
  }
}

export class HttpClient extends RawClient {
  readonly #address: string;
  readonly close: () => Promise<void>;

  constructor(address: string, close: () => Promise<void>) {
    super();
    this.#address = address;
    this.close = close;
  }

  async ask(method: string, params = {}, id: string | number = this.nextId()): Promise<Message> {
    const answer = await fetch(this.#address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    const message = (await answer.json()) as Message;
    if (message.id !== id) throw new Error(`Another answer: ${JSON.stringify(message)}`);
    return message;
  }
}

/** A client on stdio, whose lines a test may write and read as they are. */
export class LineClient extends RawClient {
  /** What came, line by line. */
  readonly lines: string[] = [];
  /** The same, as bytes. */
  readonly bytes: Buffer[] = [];
  /** Whether the client ended the proxy. */
  readonly ended: Promise<boolean>;
  readonly #says: Writable;
  readonly #waiting = new Map<unknown, (message: Message) => void>();

  constructor(says: Writable, hears: Readable, ended: Promise<boolean>) {
    super();
    this.#says = says;
    this.ended = ended;
    hears.on('data', (chunk: Buffer) => void this.bytes.push(chunk));
    createInterface({ input: hears }).on('line', (line) => {
      this.lines.push(line);
      const message = parse(line);
      if (message?.method === undefined) this.#waiting.get(message?.id)?.(message!);
    });
  }

  ask(method: string, params = {}, id: string | number = this.nextId()): Promise<Message> {
    const answer = this.waitFor(id);
    this.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  /** Resolves with the next answer to a request. */
  waitFor(id: unknown): Promise<Message> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }

  /** Sends bytes as they are. */
  write(bytes: string | Uint8Array): void {
    this.#says.write(bytes);
  }

  close(): Promise<boolean> {
    this.#says.end();
    return this.ended;
  }
}

/** Says bytes to the client, or ends the server. */
export type LineScript = (message: Message, say: Say, line: string) => void;
export type Say = (bytes: string | Uint8Array | null) => void;

const ENDS = /\r\n|\n|\r/;

export class LineServer {
  readonly says = new PassThrough();
  readonly hears = new PassThrough();

  constructor(script: LineScript) {
    void this.#serve(script);
  }

  /** Many servers take each of these for the end of a line. */
  async #serve(script: LineScript): Promise<void> {
    const say: Say = (bytes) => {
      if (bytes === null) this.says.end();
      else this.says.write(bytes);
    };
    let kept = '';
    for await (const chunk of this.hears.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (kept + chunk).split(ENDS);
      kept = lines.pop()!;
      for (const line of lines) if (line !== '') script(parse(line) ?? {}, say, line);
    }
  }
}

function parse(line: string): Message | null {
  try {
    return JSON.parse(line.replace(/^\uFEFF/, '')) as Message;
  } catch {
    return null;
  }
}
