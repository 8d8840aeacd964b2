// Measures the latency of the loopback.
import { connect, createServer, type AddressInfo } from 'node:net';

/** Median round trip of 1.6 KB over the loopback in milliseconds; a shaped loopback makes every figure worthless. */
export async function measureLoopbackMs(): Promise<number> {
  const server = createServer((socket) => socket.setNoDelay(true).pipe(socket)).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    noDelay: true,
  });
  const message = Buffer.alloc(1_600);
  const times: number[] = [];
  for (let i = 0; i < 1_000; i++) {
    const at = performance.now();
    socket.write(message);
    for (let got = 0; got < message.length;)
      got += await new Promise<number>((resolve) =>
        socket.once('data', ({ length }) => resolve(length)),
      );
    times.push(performance.now() - at);
  }
  socket.destroy();
  server.close();
  return times.sort((a, b) => a - b)[500] ?? NaN;
}
