// Reads the client address of a request; no other file reads it.
import type { Request } from 'express';
import { resolveClientAddress } from '../../domain/network/client-address.ts';

type Trust = (address: string, hop: number) => boolean;

/** Reads the client address; empty when the connection is gone. */
export function readClientAddress({ app, socket, headers }: Request): string {
  const given = headers['x-forwarded-for'] ?? '';
  return resolveClientAddress({
    peer: socket.remoteAddress ?? '',
    forwardedFor: typeof given === 'string' ? given : given.join(','),
    isTrusted: app.get('trust proxy fn') as Trust,
  });
}
