// Reads event streams in a low-priority process, so that its CPU time is not counted as the server's.
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { sendMessage, type ReadOrder } from '../wire.ts';

const AT_A_TIME = 50;
let bytes = 0;

/** Opens a stream and reads it into a shared buffer. @throws Error when it is refused */
function openStream({ port, path }: ReadOrder): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const callback = (length: number, chunk: Uint8Array): boolean => {
      bytes += length;
      if (isOpen) return true;
      isOpen = true;
      const head = Buffer.from(chunk).toString('latin1', 0, Math.min(length, 40));
      if (head.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(`a stream was answered ${head}`));
      return true;
    };
    const onread = { buffer: Buffer.alloc(64 * 1024), callback };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  });
}

async function readStreams(order: ReadOrder): Promise<void> {
  for (let opened = 0; opened < order.streams; opened += AT_A_TIME)
    await Promise.all(Array.from({ length: AT_A_TIME }, () => openStream(order)));
  sendMessage({ kind: 'reading' });
}

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
process.on('message', (order: ReadOrder | 'tell') => {
  if (order === 'tell') sendMessage({ kind: 'read', bytes });
  else void readStreams(order);
});
process.on('disconnect', () => process.exit());
sendMessage({ kind: 'ready' });
