// Protection against server-side request forgery: calls go to public addresses over https, or to allowed destinations.
import ipaddr from 'ipaddr.js';
import { hasInvalidPunycode } from '../network/punycode.ts';

type Subnet = ReturnType<typeof ipaddr.parseCIDR>;

/** Destinations that are allowed even when they are not public, with or without TLS. */
export interface Allowed {
  /** `host` or `host:port` in the spelling of URLs. */
  hosts: ReadonlySet<string>;
  subnets: readonly Subnet[];
}

/** Host and port of a connection. */
export interface Destination {
  /** Lower-cased, without the brackets of IPv6 and the trailing dot. */
  hostname: string;
  port: number;
}

/** Azure's internal host service, at an address that looks public. */
const CLOUD_HOST = '168.63.129.16';

/** All global unicast IPv6 addresses. An allow-list cannot miss a range with embedded IPv4 addresses. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Parses an allow-list of subnets, addresses, hosts, and hosts with a port (`[::1]:8080`). */
export function readAllowed(items: readonly string[]): Allowed {
  const isSubnet = (item: string): boolean => item.includes('/') || isAddress(item);
  return {
    hosts: new Set(items.filter((item) => !isSubnet(item)).map((item) => item.toLowerCase())),
    subnets: items.filter(isSubnet).map((item) => {
      const address = item.split('/', 1)[0] ?? item;
      return ipaddr.parseCIDR(
        item.includes('/') ? item : `${item}/${address.includes(':') ? 128 : 32}`,
      );
    }),
  };
}

/** Adds the host and port of an address to an allow-list. The operator configures the address, never a user. */
export function extendAllowed(items: readonly string[], address: string): string[] {
  const { hostname, port } = toDestination(new URL(address));
  return [...items, toHostPort(hostname, port)];
}

/** Host and port of a URL. */
export function toDestination({
  hostname,
  port,
  protocol,
}: Pick<URL, 'hostname' | 'port' | 'protocol'>): Destination {
  return {
    hostname: hostname
      .toLowerCase()
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}

/** Whether the installation allows a destination by its name or literal address. */
export function isAllowed({ hostname, port }: Destination, allowed: Allowed): boolean {
  return (
    allowed.hosts.has(hostname) ||
    allowed.hosts.has(toHostPort(hostname, port)) ||
    (isAddress(hostname) && isInSubnets(hostname, allowed))
  );
}

function toHostPort(hostname: string, port: number): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
}

/** Whether a connection to a resolved address is permitted. */
export function mayReach(address: string, allowed: Allowed): boolean {
  return isAddress(address) && (isPublic(address) || isInSubnets(address, allowed));
}

/** Why a URL must not be called, phrased to follow its name; null: no problem before its host name is resolved. */
export function findUrlProblem(text: string, allowed: Allowed): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (hasInvalidPunycode(url.hostname)) return 'is not a URL';
  if (!/^https?:$/.test(url.protocol)) return 'must start with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  const destination = toDestination(url);
  if (isAllowed(destination, allowed)) return null;
  if (url.protocol !== 'https:') return 'must start with https://';
  if (/(^|\.)localhost$/.test(destination.hostname)) return 'points to this machine';
  return isAddress(destination.hostname) && !isPublic(destination.hostname)
    ? 'is not a public address'
    : null;
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function isPublic(text: string): boolean {
  const address = ipaddr.parse(text);
  if (address.toString() === CLOUD_HOST) return false;
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6));
}

function isInSubnets(text: string, { subnets }: Allowed): boolean {
  const address = ipaddr.parse(text);
  return subnets.some((subnet) => subnet[0].kind() === address.kind() && address.match(subnet));
}
