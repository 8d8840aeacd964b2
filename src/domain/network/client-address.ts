// The normalized address of a client, from its connection or a trusted proxy, without a port.
import ipaddr from 'ipaddr.js';

const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;
const IPV4_WITH_PORT = /^((?:::ffff:)?\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/i;
const QUOTED = /^"(.*)"$/;

const isFourPart = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text);

/** IPv4 (also IPv4-mapped IPv6) in dotted decimal; IPv6 in the form of RFC 5952, without a zone. Null: no address. */
export function normalizeAddress(text: string): string | null {
  if (isFourPart(text)) return text;
  const bare = text.trim().replace(QUOTED, '$1').replace(IN_BRACKETS, '$1');
  const address = bare.replace(IPV4_WITH_PORT, '$1');
  if (isFourPart(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.IPv6.parse(address.replace(/%.*$/s, ''));
  return parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address().toString()
    : parsed.toRFC5952String();
}

interface Connection {
  /** The address at the other end of the connection. */
  peer: string;
  /** `X-Forwarded-For`: each proxy appends the address of its caller. */
  forwardedFor: string;
  /** Whether an address belongs to a trusted proxy; `hop` counts from the connection. */
  isTrusted: (address: string, hop: number) => boolean;
}

/**
 * The first address, from the connection on, of no trusted proxy. An unreadable address yields the proxy that wrote it.
 */
export function resolveClientAddress({ peer, forwardedFor, isTrusted }: Connection): string {
  let client = normalizeAddress(peer) ?? '';
  for (const [hop, named] of forwardedFor.split(',').reverse().entries()) {
    if (!isTrusted(client, hop)) break;
    const address = normalizeAddress(named);
    if (address === null) break;
    client = address;
  }
  return client;
}
