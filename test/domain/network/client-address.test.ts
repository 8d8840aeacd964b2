// The client's address from a connection and from the headers of proxies.
import { describe, expect, test } from 'vitest';
import {
  resolveClientAddress,
  normalizeAddress,
} from '../../../src/domain/network/client-address.ts';

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:50001', '203.0.113.9'],
  [' 203.0.113.9:1 ', '203.0.113.9'],
  ['"203.0.113.9:50001"', '203.0.113.9'],
  ['[203.0.113.9]:443', '203.0.113.9'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:0db8:0000::0001', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%eth0]:80', 'fe80::1'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:50001', '203.0.113.9'],
  ['::ffff:203.0.113.9:50001', '203.0.113.9'],
  ['::1', '::1'],
  ['', null],
  ['unknown', null],
  ['_hidden', null],
  ['203.0.113', null],
  ['203.0.113.999', null],
  ['203.0.113.9:port', null],
  ['203.0.113.9:500010', null],
  ['[203.0.113.9', null],
  ['evil.example:80', null],
  ['203.0.113.9 evil', null],
])('%j is %j', (text, address) => {
  expect(normalizeAddress(text)).toBe(address);
});

describe('the client', () => {
  const proxies = new Set(['10.0.0.1', '10.0.0.2']);
  const clientOf = (peer: string, forwardedFor: string): string =>
    resolveClientAddress({ peer, forwardedFor, isTrusted: (address) => proxies.has(address) });

  test.each([
    ['198.51.100.7', '', '198.51.100.7'],
    ['198.51.100.7', '203.0.113.9', '198.51.100.7'],
    ['::ffff:10.0.0.1', '203.0.113.9:50001', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9:50001, 10.0.0.2:8080', '203.0.113.9'],
    ['10.0.0.1', '192.0.2.1, 203.0.113.9:50001,10.0.0.2:8080', '203.0.113.9'],
    ['10.0.0.1', '[2001:db8::1]:443,[::ffff:10.0.0.2]:1', '2001:db8::1'],
    ['10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', ',', '10.0.0.1'],
    ['', '203.0.113.9', ''],
  ])('behind %j with %j is %j', (peer, forwardedFor, client) => {
    expect(clientOf(peer, forwardedFor)).toBe(client);
  });
});
