// The address of a client: as its connection or a trusted proxy names it, in one spelling, without a port.
import ipaddr from 'ipaddr.js';

const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;
const IPV4_WITH_PORT = /^((?:::ffff:)?\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/i;
const QUOTED = /^"(.*)"$/;

const isFourPart = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text);

/** IPv4 in dotted decimal, also where IPv6 only wraps it; IPv6 as RFC 5952 writes it, without a zone. Null: no address. */
export function plainAddress(text: string): string | null {
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
  /** `X-Forwarded-For`: each proxy appends whom it was called by. */
  forwardedFor: string;
  /** Whether an address is a proxy's that is believed; `hop` counts from the connection on. */
  isTrusted: (address: string, hop: number) => boolean;
}

/** The first address from the connection on that is no trusted proxy's; before what cannot be read, the proxy that wrote it. */
export function clientAddress({ peer, forwardedFor, isTrusted }: Connection): string {
  let client = plainAddress(peer) ?? '';
  if (forwardedFor === '') return client;
  for (const [hop, named] of forwardedFor.split(',').reverse().entries()) {
    if (!isTrusted(client, hop)) break;
    const address = plainAddress(named);
    if (address === null) break;
    client = address;
  }
  return client;
}
