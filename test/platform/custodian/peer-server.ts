// The custodian of a peer as `npm run custodian` runs it; a test may end it and start it again at its port.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileCustodian } from '../../../src/platform/custodian/file-custodian.ts';
import {
  createCustodianServer,
  type CustodianRecord,
} from '../../../src/platform/custodian/peer/custodian-server.ts';

export const TOKEN = 'the token of a peer, long enough for it';

export interface Peer {
  url: string;
  folder: string;
  records: CustodianRecord[];
  start(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function startPeer(): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-peer-'));
  let server: Server;
  let port = 0;
  const peer: Peer = {
    url: '',
    folder,
    records: [],
    async start() {
      server = createCustodianServer({
        kept: createFileCustodian(folder),
        token: TOKEN,
        now: () => new Date(),
        note: (record) => peer.records.push(record),
      });
      await once(server.listen(port, '127.0.0.1'), 'listening');
      ({ port } = server.address() as AddressInfo);
      peer.url = `http://127.0.0.1:${port}`;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async close() {
      await peer.stop();
      await rm(folder, { recursive: true });
    },
  };
  await peer.start();
  return peer;
}
