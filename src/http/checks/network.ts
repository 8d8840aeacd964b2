// The network of a caller, wider than what limits count by: one attacker can have many addresses of it.
import { ipKeyGenerator } from 'express-rate-limit';

const IPV6_PREFIX = 48;

/** /24 of an IPv4 address, /48 of an IPv6 one. */
export function networkOf(address: string): string {
  const key = ipKeyGenerator(address, IPV6_PREFIX);
  return key.includes(':') ? key : key.slice(0, key.lastIndexOf('.'));
}
