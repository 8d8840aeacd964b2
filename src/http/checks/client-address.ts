// Reads the address of the client that sent a request: the one place that does.
import type { Request } from 'express';
import { clientAddress } from '../../domain/network/client-address.ts';

type Trust = (address: string, hop: number) => boolean;

/** Empty: the connection is gone. */
export function readClientAddress({ app, socket, headers }: Request): string {
  const given = headers['x-forwarded-for'] ?? '';
  return clientAddress({
    peer: socket.remoteAddress ?? '',
    forwardedFor: typeof given === 'string' ? given : given.join(','),
    isTrusted: app.get('trust proxy fn') as Trust,
  });
}
