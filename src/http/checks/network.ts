// Maps an address to its network, wider than what rate limits use: one attacker can have many addresses of it.
import { ipKeyGenerator } from 'express-rate-limit';

const IPV6_PREFIX = 48;

/** Returns the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function toNetwork(address: string): string {
  const key = ipKeyGenerator(address, IPV6_PREFIX);
  return key.includes(':') ? key : key.slice(0, key.lastIndexOf('.'));
}
