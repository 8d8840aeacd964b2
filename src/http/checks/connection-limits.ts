// Bounds the open connections of one client address, so that no client takes all of them.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { toSubnet } from '../../domain/network/subnet.ts';

export interface ConnectionLimit {
  /** Further connections of an address are closed at once. */
  perAddress: number;
  /** Whether an address is a proxy's, whose connections are those of many clients: it has no limit. */
  isTrustedProxy: (address: string) => boolean;
}

/** The default limit of one address: a quarter of all connections, at least one. */
export const computeConnectionShare = (all: number): number => Math.max(1, Math.floor(all / 4));

export function limitConnections(server: Server, limit: ConnectionLimit): void {
  const open = new Map<string, number>();

  function change(address: string, by: number): void {
    const left = (open.get(address) ?? 0) + by;
    if (left === 0) open.delete(address);
    else open.set(address, left);
  }

  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || limit.isTrustedProxy(remoteAddress)) return;
    const address = toSubnet(remoteAddress);
    if ((open.get(address) ?? 0) >= limit.perAddress) return void socket.destroy();
    change(address, 1);
    socket.once('close', () => change(address, -1));
  });
}
