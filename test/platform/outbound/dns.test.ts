// TXT records and addresses from a real name server: joined records, none, or an error in bounded time.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDns, type Dns } from '../../../src/platform/outbound/dns.ts';
import { startNameServer, type NameServer } from '../../setup/providers/name-server.ts';

let names: NameServer;
let dns: Dns;
/** Gives up soon. */
let hasty: Dns;
beforeAll(async () => {
  names = await startNameServer();
  dns = createDns({ servers: [names.address], timeoutMs: 20_000 });
  hasty = createDns({ servers: [names.address], timeoutMs: 300 });
});
beforeEach(() => {
  names.mood = 'well';
});
afterAll(() => names.stop());

test('returns every record with its parts joined', async () => {
  const long = 'x'.repeat(600);
  names.records.set('a.example.com', ['v=spf1 -all', long, '']);
  expect(await dns.resolveTxt('A.Example.com')).toEqual(['v=spf1 -all', long, '']);
});

test('returns no record for an unknown name, or one without TXT records', async () => {
  names.records.set('none.example.com', []);
  expect([
    await dns.resolveTxt('unknown.example.com'),
    await dns.resolveTxt('none.example.com'),
  ]).toEqual([[], []]);
});

test('a look-up sees the current records', async () => {
  names.records.set('new.example.com', ['one']);
  expect(await dns.resolveTxt('new.example.com')).toEqual(['one']);
  names.records.set('new.example.com', ['two']);
  expect(await dns.resolveTxt('new.example.com')).toEqual(['two']);
});

test.each(['failing', 'silent'] as const)('a %s server is an error', async (mood) => {
  names.mood = mood;
  await expect(hasty.resolveTxt('a.example.com')).rejects.toThrow();
  await expect(hasty.resolveAddresses('a.example.com')).rejects.toThrow();
});

test('returns the addresses of a name; an address is its own', async () => {
  names.addresses.set('a.example.com', ['203.0.112.7', '203.0.112.8']);
  expect(await dns.resolveAddresses('A.example.com')).toEqual([
    { address: '203.0.112.7', family: 4 },
    { address: '203.0.112.8', family: 4 },
  ]);
  expect(await dns.resolveAddresses('203.0.112.9')).toEqual([
    { address: '203.0.112.9', family: 4 },
  ]);
  expect(await dns.resolveAddresses('::1')).toEqual([{ address: '::1', family: 6 }]);
  await expect(dns.resolveAddresses('unknown.example.com')).rejects.toMatchObject({
    code: 'ENOTFOUND',
  });
});

test('the timeout covers all servers together', async () => {
  names.mood = 'silent';
  const servers = Array.from({ length: 20 }, () => names.address);
  const before = names.asked.length;
  await expect(
    createDns({ servers, timeoutMs: 300 }).resolveTxt('a.example.com'),
  ).rejects.toThrow();
  expect(names.asked.length - before).toBeLessThan(servers.length);
});
