// An address that stays while the service behind it restarts on another port.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Front {
  url: string;
  /** Passes requests on to this address from now on. */
  leadTo(url: string): void;
  stop(): Promise<void>;
}

export async function startFront(): Promise<Front> {
  let target = '';
  const server = createServer((req, res) => {
    const { method, headers, url = '/' } = req;
    const passed = request(new URL(url, target), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => res.destroy());
      answer.pipe(res);
    });
    passed.on('error', () => res.destroy());
    res.on('close', () => passed.destroy());
    req.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => (target = url),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
