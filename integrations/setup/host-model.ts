// A fake model for coding agents: it makes planned calls of their tools, and speaks the formats that they ask in.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { readText, writeMessage } from './messages-api.ts';

/** A call of the host's tool, and what happens before the model makes it. */
export interface Turn {
  name: string;
  args: object;
  before?: (told: readonly string[]) => Promise<void>;
}

export interface HostModel {
  url: string;
  /** Lets the next run of a host make these calls. Returns what the model is told, filled while it runs. */
  planCalls(turns: readonly Turn[]): readonly string[];
  close(): Promise<void>;
}

interface Body {
  tools?: unknown[];
  stream?: boolean;
  /** Of the formats of messages and of chats. */
  messages?: { role: string; content: unknown }[];
  /** Of Gemini's format. */
  contents?: { parts?: { functionResponse?: { response: object } }[] }[];
  /** Of the format of responses. */
  input?: { type: string; output?: unknown }[];
}

interface Format {
  listTold(body: Body): string[];
  /** `call`: the next one; null: the model ends. */
  write(response: ServerResponse, call: Turn | null, body: Body): void;
}

const createId = (kind: string): string => `${kind}_${crypto.randomUUID()}`;

/** Claude Code. */
const messages: Format = {
  listTold: ({ messages: given = [] }) =>
    given
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => readText(content)),
  write(response, call, { stream }) {
    const block = call
      ? { type: 'tool_use', id: createId('toolu'), name: call.name, input: call.args }
      : { type: 'text', text: 'done' };
    writeMessage(response, [block], stream === true);
  },
};

/** Codex. */
const responses: Format = {
  listTold: ({ input = [] }) =>
    input.filter(({ type }) => type.endsWith('_output')).map(({ output }) => readText(output)),
  write(response, call) {
    const text = { type: 'output_text', text: 'done', annotations: [] };
    const item = call
      ? {
          type: 'function_call',
          id: createId('fc'),
          call_id: createId('call'),
          name: call.name,
          arguments: JSON.stringify(call.args),
        }
      : { type: 'message', id: createId('msg'), role: 'assistant', content: [text] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const whole = { id: createId('resp'), object: 'response', output: [item], usage };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...whole, status: 'completed' } },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  },
};

/** opencode, Copilot. */
const chats: Format = {
  listTold: ({ messages: given = [] }) =>
    given.filter(({ role }) => role === 'tool').map(({ content }) => readText(content)),
  write(response, call) {
    const delta = call
      ? {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: createId('call'),
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.args) },
            },
          ],
        }
      : { role: 'assistant', content: 'done' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const head = { id: createId('chat'), object: 'chat.completion.chunk', created: 1, model: 'm' };
    for (const choice of [
      { index: 0, delta, finish_reason: null },
      { index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' },
    ])
      response.write(`data: ${JSON.stringify({ ...head, choices: [choice] })}\n\n`);
    response.end('data: [DONE]\n\n');
  },
};

/** Gemini CLI. */
const contents: Format = {
  listTold: ({ contents: given = [] }) =>
    given
      .flatMap(({ parts = [] }) => parts)
      .flatMap(({ functionResponse: told }) => (told ? [JSON.stringify(told.response)] : [])),
  write(response, call) {
    const part = call ? { functionCall: { name: call.name, args: call.args } } : { text: 'done' };
    const content = { role: 'model', parts: [part] };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const whole = { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(whole)}\r\n\r\n`);
  },
};

const FORMATS: Readonly<Record<string, Format>> = {
  '/v1/messages': messages,
  '/v1/responses': responses,
  '/v1/chat/completions': chats,
  '/v1beta/models/gemini-2.5-flash:streamGenerateContent': contents,
};

export async function startHostModel(): Promise<HostModel> {
  let turns: readonly Turn[] = [];
  let heard: string[] = [];
  const prepared = new Set<Turn>();

  /** A host asks for other things too, such as a title: then it offers no tools. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const format = FORMATS[new URL(request.url ?? '', 'http://127.0.0.1').pathname];
    if (request.method !== 'POST' || !format) {
      request.resume();
      response.writeHead(404).end();
      return;
    }
    const body = (await json(request)) as Body;
    if (!body.tools?.length) return format.write(response, null, body);
    const told = format.listTold(body);
    heard.splice(0, heard.length, ...told);
    const call = turns[told.length] ?? null;
    if (call?.before && !prepared.has(call)) {
      prepared.add(call);
      await call.before(told);
    }
    format.write(response, call, body);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    planCalls(next) {
      turns = next;
      heard = [];
      return heard;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
