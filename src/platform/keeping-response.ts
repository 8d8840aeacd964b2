// What an answer keeps of its headers until its head is written in one go: set each by itself, twenty take 6 us more (row ingest/R1).
import type { IncomingMessage, ServerResponse } from 'node:http';

/** An answer that can keep headers. */
export interface Keeping {
  /** Names and values in turns; null: every header is set as it comes. */
  kept: string[] | null;
}

/** What is compressed looks at the headers of its answer, so those of reading requests are set as they come. */
export function keptFor({ method }: Pick<IncomingMessage, 'method'>): Keeping['kept'] {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? null : [];
}

/** Sets what was kept, but for what was set since: where an answer has headers of both kinds. */
export function setKept(
  res: Pick<ServerResponse, 'setHeader' | 'hasHeader'>,
  kept: string[],
): void {
  for (let at = 0; at < kept.length; at += 2) {
    const [name = '', value = ''] = [kept[at], kept[at + 1]];
    if (!res.hasHeader(name)) res.setHeader(name, value);
  }
}
