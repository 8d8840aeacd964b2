// Which addresses may be called on somebody's behalf: public ones over https, and what the installation allows besides.
import ipaddr from 'ipaddr.js';

type Subnet = ReturnType<typeof ipaddr.parseCIDR>;

/** What may be reached although it is not public, and without TLS. */
export interface Allowed {
  /** `host` or `host:port`, as URLs spell hosts. */
  hosts: ReadonlySet<string>;
  subnets: readonly Subnet[];
}

/** Where a connection leads. */
export interface Destination {
  /** Lower-cased, without the brackets of IPv6 and the dot at the end. */
  hostname: string;
  port: number;
}

/** All global unicast addresses of IPv6 begin like this; so nothing else can hide an IPv4 address or be forgotten. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Reads an allow-list of subnets, addresses, hosts, and hosts with a port (`[::1]:8080`). */
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

/** Host and port of an address. */
export function destinationOf({
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

/** Whether the installation allows a place by its name or literal address. */
export function isAllowed({ hostname, port }: Destination, allowed: Allowed): boolean {
  return (
    allowed.hosts.has(hostname) ||
    allowed.hosts.has(`${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`) ||
    (isAddress(hostname) && inSubnets(hostname, allowed))
  );
}

/** Whether a connection may go to an address that a name resolved to. */
export function mayReach(address: string, allowed: Allowed): boolean {
  return isAddress(address) && (isPublic(address) || inSubnets(address, allowed));
}

/** Why an address must not be called, as far as its text tells, worded to follow its name; null: nothing is known against it, and a name is yet to be resolved. */
export function urlProblem(text: string, allowed: Allowed): string | null {
  if (!URL.canParse(text)) return 'is not an address';
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not name a user or password';
  const place = destinationOf(url);
  if (isAllowed(place, allowed)) return null;
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (/(^|\.)localhost$/.test(place.hostname)) return 'leads to this machine';
  return isAddress(place.hostname) && !isPublic(place.hostname) ? 'is not a public address' : null;
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function isPublic(text: string): boolean {
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6));
}

function inSubnets(text: string, { subnets }: Allowed): boolean {
  const address = ipaddr.parse(text);
  return subnets.some((subnet) => subnet[0].kind() === address.kind() && address.match(subnet));
}
