// Reads server-sent events from the body of an answer.

export interface ServerEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Longest event, in characters: the service sends no longer one. */
const EVENT_MAX = 1_000_000;

/** Yields the events of a body until it ends or is cut. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > EVENT_MAX) return;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } catch {
    // The connection was cut: the caller begins again after the last id.
  }
}

function parseEvent(block: string): ServerEvent | null {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (field === 'id') id = value;
    if (field === 'event') event = value ?? event;
    if (field === 'data') data.push(value ?? '');
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') };
}
