// Server-sent events: how one is written, and what stands between who has events and who sends them.

/** `data` has no line breaks, as JSON has none. */
export function eventFrame(event: string, data: string, id?: number): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`event: ${event}\n${idLine}data: ${data}\n\n`);
}

/** Readers that are written to before others may have their turn: half a millisecond; a thousand at once held ingestion for 20 (row beside-streams). */
export const READERS_IN_TURN = 16;

/** One reader of a stream. */
export interface EventChannel {
  /** False once the reader has gone. */
  readonly isOpen: boolean;
  /** Frames may be shared by many readers. A reader that is too far behind is cut. */
  send(frame: Buffer): void;
  /** Resolves when the reader has taken what was sent, or has gone. */
  drained(): Promise<void>;
  /** Hangs up; the reader may come back. */
  cut(): void;
  /** Tells the reader that its credential has ended, and hangs up. */
  revoke(): void;
}

/** The events of one reader. */
export interface EventStream {
  start(channel: EventChannel): void;
  /** Called once, also when it was never started. */
  stop(): void;
}
