// Server-sent events: the format of one, and the interfaces between sources of events and connections.

/** Formats one event. `data` is JSON and therefore has no line breaks. */
export function formatEventFrame(event: string, data: string, id?: number): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`event: ${event}\n${idLine}data: ${data}\n\n`);
}

/** All events, or those of halts alone: many agents wait for these, and each reads next to nothing. */
export const STREAM_KINDS = ['all', 'halt'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/**
 * Readers written to before the event loop is yielded: 0.5 ms; a thousand at once delayed ingestion by 20 (row
 * beside-streams).
 */
export const READERS_IN_TURN = 16;

/** One reader of a stream. */
export interface EventChannel {
  /** False once the reader has disconnected. */
  readonly isOpen: boolean;
  /** Sends a frame, which many readers may share. A reader that is too far behind is disconnected. */
  send(frame: Buffer): void;
  /** Resolves when the reader has received everything sent, or has disconnected. */
  waitForDrain(): Promise<void>;
  /** Disconnects the reader, which may reconnect. */
  disconnect(): void;
  /** Notifies the reader that its credential has ended, and disconnects it. */
  revoke(): void;
}

/** The events of one reader. */
export interface EventStream {
  start(channel: EventChannel): void;
  /** Called exactly once, even when the stream was never started. */
  stop(): void;
}
