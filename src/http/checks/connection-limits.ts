// Bounds the connections that one client address has open, so that none of them takes those of everybody.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';

export interface ConnectionLimit {
  /** Further connections of an address are closed at once. */
  perAddress: number;
  /** Whose connections are those of many clients: they are not limited. */
  isTrustedProxy: (address: string) => boolean;
}

/** The default for one address: a quarter of what all may have, at least one. */
export const shareOfConnections = (all: number): number => Math.max(1, Math.floor(all / 4));

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
    const address = clientOf(remoteAddress);
    if ((open.get(address) ?? 0) >= limit.perAddress) return void socket.destroy();
    change(address, 1);
    socket.once('close', () => change(address, -1));
  });
}

/** An IPv4 address, also one in the form of IPv6, or the network of an IPv6 address, which one client has as a whole. */
const clientOf = (address: string): string =>
  ipKeyGenerator(address.replace(/^::ffff:(?=\d+\.)/, ''));
