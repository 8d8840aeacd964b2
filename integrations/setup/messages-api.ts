// A fake of the Messages API, which Claude Code talks to: it makes planned calls, one turn after the other.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Plan } from './tools.ts';

interface Block {
  type: string;
  tool_use_id?: string;
  content?: unknown;
}

interface Body {
  messages?: { role: string; content: string | Block[] }[];
  tools?: { name: string }[];
  stream?: boolean;
}

export const PREFIX = 'mcp__shop__';

export interface MessagesApi {
  url: string;
  /** What the model does next. */
  plan: Plan;
  close(): Promise<void>;
}

export async function startMessagesApi(): Promise<MessagesApi> {
  const server = createServer((request, response) => {
    void answer(request, response, api.plan);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api: MessagesApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return api;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  plan: Plan,
): Promise<void> {
  if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
    request.resume();
    response.writeHead(404).end();
    return;
  }
  const body = (await json(request)) as Body;
  if (request.url.includes('count_tokens')) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}');
    return;
  }
  writeMessage(response, createBlocks(body, plan), body.stream === true);
}

/** Answers with a message of the model, whole or as events. */
export function writeMessage(
  response: ServerResponse,
  blocks: readonly Answered[],
  streams: boolean,
): void {
  const message = {
    id: `msg_${crypto.randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-fake',
    stop_reason: blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  if (!streams) {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...message, content: blocks }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, data: object): unknown =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of blocks.entries()) {
    const isCall = block.type === 'tool_use';
    const start = isCall ? { ...block, input: {} } : { ...block, text: '' };
    send('content_block_start', { index, content_block: start });
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      : { type: 'text_delta', text: block.text };
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  const { stop_reason, stop_sequence, usage } = message;
  send('message_delta', { delta: { stop_reason, stop_sequence }, usage });
  send('message_stop', {});
  response.end();
}

/** A block of what the model says. */
export interface Answered {
  type: string;
  id?: string;
  name?: string;
  input?: object;
  text?: string;
}

function createBlocks({ messages = [], tools = [] }: Body, plan: Plan): Answered[] {
  // Claude Code asks for other things too, such as a title.
  if (!tools.some(({ name }) => name.startsWith(PREFIX))) return [{ type: 'text', text: 'Refund' }];
  const told = messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter(({ type }) => type === 'tool_result')
    .map(({ content }) => readText(content));
  const turn = plan.find((_, index) => told.length < plan.slice(0, index + 1).flat().length);
  if (!turn) return [{ type: 'text', text: JSON.stringify(told) }];
  return turn.map(({ id, tool, args }) => ({
    type: 'tool_use',
    id,
    name: `${PREFIX}${tool}`,
    input: args,
  }));
}

export const readText = (content: unknown): string =>
  Array.isArray(content)
    ? (content as { text?: string }[]).map(({ text = '' }) => text).join('')
    : String(content);
