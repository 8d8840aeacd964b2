// The addresses that may be called for a user: known disguises of private ones, and the allow-list of an installation.
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import {
  isAllowed,
  mayReach,
  toDestination,
  extendAllowed,
  readAllowed,
  findUrlProblem,
} from '../../../src/domain/outbound/ssrf.ts';

const NOTHING = readAllowed([]);
const https = (host: string): string => `https://${host}/path`;

describe('without an allow-list', () => {
  test.each([
    ...[
      '8.8.8.8',
      '1.1.1.1:8443',
      '172.15.255.255',
      '172.32.0.1',
      '100.63.255.255',
      '100.128.0.1',
      '198.17.255.255',
    ],
    ...[
      '[2606:4700::1111]',
      '[2001:4860:4860::8888]',
      'example.com',
      'EXAMPLE.com.',
      'bücher.example',
      'a.b.example:444',
    ],
    // These are decided only after the name is resolved.
    ...['localhost.example.com', 'intranet', 'notlocalhost', '10.0.0.1.example.com'],
  ])('%s passes', (host) => {
    expect(findUrlProblem(https(host), NOTHING)).toBeNull();
  });

  test.each([
    ...[
      '127.0.0.1',
      '127.1.2.3',
      '127.0.0.1.',
      '127.0.0.1:443',
      '0.0.0.0',
      '0.1.2.3',
      '0',
      '10.0.0.1',
      '10.255.255.255',
    ],
    ...[
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '100.64.0.1',
      '168.63.129.16',
      '100.127.255.255',
      '169.254.169.254',
      '169.254.0.1',
    ],
    ...[
      '192.0.0.1',
      '192.0.0.192',
      '192.0.2.1',
      '198.18.0.1',
      '198.19.255.255',
      '198.51.100.1',
      '203.0.113.1',
    ],
    ...[
      '192.88.99.1',
      '192.52.193.1',
      '192.175.48.1',
      '224.0.0.1',
      '239.255.255.255',
      '240.0.0.1',
      '255.255.255.255',
    ],
  ])('%s is no public address of version 4', (host) => {
    expect(findUrlProblem(https(host), NOTHING)).toBe('is not a public address');
  });

  test.each([
    ['decimal', '2130706433'],
    ['decimal, link-local', '2852039166'],
    ['octal', '0177.0.0.1'],
    ['octal, all of it', '017700000001'],
    ['hexadecimal', '0x7f000001'],
    ['hexadecimal parts', '0x7f.0x0.0x0.0x1'],
    ['three parts', '127.0.1'],
    ['two parts', '127.1'],
    ['mixed', '0xa9.254.0251.0376'],
    ['full-width digits', '１２７.０.０.１'],
    ['circled digits', '①②⑦.0.0.1'],
    ['ideographic dots', '127。0。0。1'],
    ['percent-encoded', '%31%32%37.0.0.1'],
    ['with an encoded dot', '127%2E0.0.1'],
  ])('%s: %s is refused', (_how, host) => {
    expect(findUrlProblem(https(host), NOTHING)).toBe('is not a public address');
  });

  test.each([
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-compatible, hexadecimal', '::7f00:1'],
    ['IPv4-compatible, public', '::8.8.8.8'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped, hexadecimal', '::ffff:a9fe:a9fe'],
    ['IPv4-mapped, public', '::ffff:8.8.8.8'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::127.0.0.1'],
    ['NAT64, public', '64:ff9b::8.8.8.8'],
    ['NAT64 of a network', '64:ff9b:1::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001::7f00:1'],
    ['unique local', 'fd00::1'],
    ['unique local, lower half', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
    ['documentation', '2001:db8::1'],
    ['new documentation', '3fff::1'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['segment routing', '5f00::1'],
    ['not given out', '4000::1'],
  ])('%s: %s is no public address of version 6', (_what, host) => {
    expect(findUrlProblem(https(`[${host}]`), NOTHING)).toBe('is not a public address');
    expect(mayReach(host, NOTHING)).toBe(false);
  });

  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost:8443',
    'db.localhost',
    'a.b.localhost.',
    'ⓛocalhost',
  ])('%s is this machine', (host) => {
    expect(findUrlProblem(https(host), NOTHING)).toBe('points to this machine');
  });

  test.each(['', ' ', 'example.com', '//example.com', '/path', 'https://'])(
    '%j is no address',
    (text) => {
      expect(findUrlProblem(text, NOTHING)).toBe('is not a URL');
    },
  );

  test.each([
    '[fe80::1%25eth0]',
    '1.2.3.256',
    '1.2.3.4.5',
    'a b',
    'a%00b',
    '[::1',
    'example.com:99999',
    'xn--a',
  ])('%s is no host', (host) => {
    expect(findUrlProblem(https(host), NOTHING)).toBe('is not a URL');
  });

  test.each(['http', 'ftp', 'file', 'gopher', 'ws', 'data', 'javascript', 'blob'])(
    '%s is not the way',
    (scheme) => {
      expect(findUrlProblem(`${scheme}://example.com/`, NOTHING)).toBe('must start with https://');
    },
  );

  test.each([
    'user@example.com',
    'user:password@example.com',
    ':password@example.com',
    'example.com@127.0.0.1',
  ])('%s names a user', (host) => {
    expect(findUrlProblem(https(host), NOTHING)).toBe('must not contain credentials');
  });

  test('a resolved address must be public', () => {
    expect(['8.8.8.8', '2606:4700::1111'].map((address) => mayReach(address, NOTHING))).toEqual([
      true,
      true,
    ]);
    for (const address of [
      '10.0.0.1',
      '::1',
      'fe80::1%eth0',
      '',
      'example.com',
      '0x7f.1',
      '127.1',
      '2130706433',
    ])
      expect(mayReach(address, NOTHING), address).toBe(false);
  });

  test('no spelling of a private address passes', () => {
    const privately = fc.constantFrom(
      '10.0.0.0/8',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '192.168.0.0/16',
      '100.64.0.0/10',
    );
    const address = fc.tuple(privately, fc.nat()).map(([subnet, at]) => {
      const [base, bits] = ipaddr.IPv4.parseCIDR(subnet);
      return (
        base.octets.reduce((number, octet) => number * 256 + octet, 0) + (at % 2 ** (32 - bits))
      );
    });
    const spelling = fc.constantFrom(
      (n: number) => String(n),
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `0${n.toString(8)}`,
      (n: number) => [24, 16, 8, 0].map((bits) => (n >>> bits) & 255).join('.'),
      (n: number) => `${n >>> 24}.${n & 0xffffff}`,
      (n: number) => `[::ffff:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}]`,
      (n: number) => `[64:ff9b::${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}]`,
      (n: number) => `[2002:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}::1]`,
      (n: number) => `[::${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}]`,
    );
    fc.assert(
      fc.property(
        address,
        spelling,
        (number, spell) => findUrlProblem(https(spell(number)), NOTHING) !== null,
      ),
    );
  });
});

describe('the installation allows', () => {
  const allowed = readAllowed([
    'IdP.test',
    'hooks.test:8080',
    '10.1.0.0/16',
    '127.0.0.1',
    'fd00::/8',
    '::1',
    '10.2.0.1:9000',
    '[fe80::1]:8443',
  ]);

  test.each([
    ['https', 'idp.test'],
    ['http', 'idp.test'],
    ['https', 'IDP.TEST.:9999'],
    ['http', 'hooks.test:8080'],
    ['http', '127.0.0.1:4000'],
    ['https', '2130706433'],
    ['http', '10.1.255.255'],
    ['https', '[fd12::1]'],
    ['http', '[::1]:5000'],
    ['http', '10.2.0.1:9000'],
    ['https', '[fe80::1]:8443'],
  ])('%s to %s', (scheme, host) => {
    expect(findUrlProblem(`${scheme}://${host}/`, allowed)).toBeNull();
    expect(isAllowed(toDestination(new URL(`${scheme}://${host}/`)), allowed)).toBe(true);
  });

  test.each([
    ['http', 'hooks.test', 'must start with https://'],
    ['http', 'hooks.test:8081', 'must start with https://'],
    ['http', 'other.test', 'must start with https://'],
    ['http', 'a.idp.test', 'must start with https://'],
    ['https', '10.2.0.1', 'is not a public address'],
    ['https', '10.3.0.1', 'is not a public address'],
    ['https', '127.0.0.2', 'is not a public address'],
    ['https', '[::ffff:127.0.0.1]', 'is not a public address'],
    ['https', '[fe80::1]', 'is not a public address'],
    ['https', 'localhost', 'points to this machine'],
    ['https', 'user@idp.test', 'must not contain credentials'],
    ['ftp', 'idp.test', 'must start with https://'],
  ])('and not %s to %s', (scheme, host, problem) => {
    expect(findUrlProblem(`${scheme}://${host}/`, allowed)).toBe(problem);
  });

  test('addresses that any name leads to, when they are in its subnets', () => {
    expect(
      ['10.1.2.3', '127.0.0.1', 'fd00::1', '::1'].every((address) => mayReach(address, allowed)),
    ).toBe(true);
    expect(
      ['10.2.0.1', '127.0.0.2', '::ffff:127.0.0.1', 'fe80::1'].some((address) =>
        mayReach(address, allowed),
      ),
    ).toBe(false);
  });
});

test.each([
  ['http', '127.0.0.1:8080', 'http', '127.0.0.1:8080', 'http', '127.0.0.1:8081'],
  ['http', '[::1]:8080', 'http', '[::1]:8080', 'http', '[::1]'],
  ['http', 'Models.test.', 'http', 'models.test', 'https', 'models.test'],
  ['https', '10.0.0.1', 'https', '10.0.0.1:443', 'http', '10.0.0.1'],
])('an allow-list that is extended by %s of %s holds %s of %s, and not %s of %s', (...given) => {
  const [configured, held, other] = [0, 2, 4].map((at) => `${given[at]}://${given[at + 1]}/v1`);
  const allowed = readAllowed(extendAllowed([], configured ?? ''));
  const isHeld = (url = ''): boolean => isAllowed(toDestination(new URL(url)), allowed);
  expect([isHeld(held), findUrlProblem(held ?? '', allowed)]).toEqual([true, null]);
  expect(isHeld(other)).toBe(false);
});
