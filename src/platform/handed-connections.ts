// Takes an idle connection off its server, so that the server of another process can go on with it: the one file that uses undocumented members of Node's sockets.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What a connection is to the kernel; it passes through the channel between processes. */
export interface Handle {
  /** Whether its bytes are being read. */
  reading?: boolean;
  readStop(): unknown;
  close(): void;
}

/** Members that Node does not document. Where an upgrade takes them away, connections stay where they are. */
interface SocketParts {
  _handle?: Handle | null;
  /** The answer that is being written. */
  _httpMessage?: unknown;
  /** Milliseconds since a request began to come; 0: none has. */
  parser?: { duration?: () => number } | null;
}
interface ServerParts {
  _handle?: { onconnection(status: number, handle: Handle): void } | null;
  _connections?: number;
}

/**
 * Takes a connection that waits for its next request; null: it does not, or has ended. What comes meanwhile stays with the kernel for
 * whoever reads next.
 */
export function detach(socket: Socket): Handle | null {
  const parts = socket as Socket & SocketParts;
  const { _handle: handle, parser } = parts;
  const isIdle = parser?.duration?.() === 0 && !parts._httpMessage;
  if (!handle || socket.destroyed || socket.writableEnded || !isIdle) return null;
  if (socket.writableLength > 0 || socket.readableLength > 0) return null;
  handle.readStop();
  handle.reading = false;
  parts._handle = null;
  // Without a handle there is nothing to close: its server forgets it.
  socket.destroy();
  return handle;
}

/** Serves a connection as if it had just come; false: the server takes none any more, or has as many as it may. */
export function attach(server: Server, handle: Handle): boolean {
  const { _handle: listener, _connections: open = 0 } = server as Server & ServerParts;
  if (!listener || open >= (server.maxConnections || Infinity)) return false;
  listener.onconnection(0, handle);
  return true;
}
