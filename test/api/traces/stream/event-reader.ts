// A client of event streams like that of browsers, without automatic reconnection.
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';

export interface StreamEvent {
  event: string;
  id: string | null;
  // Tests read what they expect; a wrong shape fails the expectation, not the compiler.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  data: any;
}

export interface EventReader {
  status: number;
  headers: IncomingMessage['headers'];
  /** All events so far. */
  events: StreamEvent[];
  /** Ids of the decision events so far. */
  ids: () => string[];
  /** The raw text received so far. */
  text: () => string;
  hasEnded: () => boolean;
  pause(): void;
  resume(): void;
  close(): void;
}

function parse(block: string): StreamEvent | null {
  const fields = block.split('\n').map((line) => line.split(/: (.*)/s, 2));
  const field = (wanted: string): string | null =>
    fields.find(([name]) => name === wanted)?.[1] ?? null;
  const data = field('data');
  if (data === null) return null;
  return { event: field('event') ?? 'message', id: field('id'), data: JSON.parse(data) };
}

/** Resolves when the answer has begun. */
export async function openReader(
  url: string,
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let [text, rest, ended] = ['', '', false];
  const events: StreamEvent[] = [];
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parse(block);
      if (event) events.push(event);
    }
  });
  response.on('close', () => (ended = true)).on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    ids: () => events.map(({ id }) => id ?? ''),
    text: () => text,
    hasEnded: () => ended,
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => request.destroy(),
  };
}
