// Subnets and networks of client addresses: which addresses count as one client, and as one neighbourhood.
import { expect, test } from 'vitest';
import { toNetwork, toSubnet } from '../../../src/domain/network/subnet.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:200::1', '2001:db8:1:200::/56'],
  ['2001:DB8:1:2ff:ffff::9', '2001:db8:1:200::/56'],
  ['2001:db8:1:300::1', '2001:db8:1:300::/56'],
  ['fe80::1%eth0', 'fe80::/56'],
  ['::1', '::/56'],
  ['', ''],
  ['not: an address', 'not: an address'],
])('the subnet of %s is %s', (address, subnet) => {
  expect(toSubnet(address)).toBe(subnet);
});

test.each([
  ['203.0.113.7', '203.0.113'],
  ['::ffff:203.0.113.7', '203.0.113'],
  ['2001:db8:1:2::3', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::9', '2001:db8:1::/48'],
])('the network of %s is %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
