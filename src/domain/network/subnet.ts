// Maps a client address to its subnet, which counts as one client, and to its wider network.
import ipaddr from 'ipaddr.js';
import { normalizeAddress } from './client-address.ts';

/** A client may have every address of such a subnet. */
const SUBNET_BITS = 56;
/** One attacker can have many subnets of such a network. */
const NETWORK_BITS = 48;

/** Returns the IPv4 address, mapped or not, or the /56 of an IPv6 address; what is no address stays. */
export function toSubnet(address: string, bits = SUBNET_BITS): string {
  const known = normalizeAddress(address);
  if (known === null || !known.includes(':')) return known ?? address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${known}/${bits}`).toString()}/${bits}`;
}

/** Returns the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function toNetwork(address: string): string {
  const key = toSubnet(address, NETWORK_BITS);
  return key.includes(':') ? key : key.slice(0, key.lastIndexOf('.'));
}
