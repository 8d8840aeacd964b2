// Reads server-sent events from the body of an answer.

/** A stretch of a body, as it came: one event, with what belongs to it. */
export interface EventBlock {
  raw: Buffer;
  id: string | undefined;
  /** Milliseconds that the client is to wait before it asks again. */
  retry: number | undefined;
  event: string;
  /** undefined: the block has none, or is longer than what may be kept. */
  data: string | undefined;
  /** Whether it is part of an event that is too long to be read. */
  isCut: boolean;
}

const [LF, CR] = [0x0a, 0x0d];

/**
 * Yields the events of a body until it ends. An event above `limit` bytes comes in pieces; what has no blank line
 * after it is no event (HTML, 9.2.6).
 * @throws whatever cuts the body
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<EventBlock> {
  let kept: Buffer[] = [];
  let size = 0;
  let isCut = false;
  const ends = new BlankLines();
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (const end of ends.find(bytes)) {
      kept.push(bytes.subarray(from, end));
      from = end;
      yield parseBlock(Buffer.concat(kept), isCut);
      [kept, size, isCut] = [[], 0, false];
    }
    kept.push(bytes.subarray(from));
    size += bytes.length - from;
    if (size <= limit) continue;
    isCut = true;
    yield parseBlock(Buffer.concat(kept), isCut);
    [kept, size] = [[], 0];
  }
}

/** Finds the ends of blank lines, over the borders of chunks. A line ends with LF, CR or both. */
class BlankLines {
  #length = 0;
  #last = 0;

  *find(bytes: Buffer): Generator<number> {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      const isSecondHalf = byte === LF && this.#last === CR;
      this.#last = byte;
      if (isSecondHalf) continue;
      if (byte !== LF && byte !== CR) {
        this.#length += 1;
        continue;
      }
      const isBlank = this.#length === 0;
      this.#length = 0;
      if (isBlank) yield at + 1;
    }
  }
}

function parseBlock(raw: Buffer, isCut: boolean): EventBlock {
  const block: EventBlock = {
    raw,
    id: undefined,
    retry: undefined,
    event: 'message',
    data: undefined,
    isCut,
  };
  if (isCut) return block;
  const data: string[] = [];
  for (const line of raw
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^(id|event|data|retry)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') block.id = value;
    if (field === 'event') block.event = value;
    if (field === 'retry' && /^\d+$/.test(value)) block.retry = Number(value);
    if (field === 'data') data.push(value);
  }
  if (data.length > 0) block.data = data.join('\n');
  return block;
}
