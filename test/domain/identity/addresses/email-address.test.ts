// The normal form of e-mail addresses, and the texts that are none.
import { expect, test } from 'vitest';
import {
  toComparableName,
  toEmailAddress,
  toEmailDomain,
  parseEmailAddress,
} from '../../../../src/domain/identity/addresses/email-address.ts';

test.each([
  ['ada@example.com', 'ada@example.com'],
  [' Ada@Example.COM ', 'ada@example.com'],
  ['x@b\u00fccher.example.org', 'x@xn--bcher-kva.example.org'],
  ['x@bu\u0308cher.example.org', 'x@xn--bcher-kva.example.org'],
  ['X@B\u00dcCHER\u3002example.org', 'x@xn--bcher-kva.example.org'],
  ['x@XN--BCHER-KVA.example.org', 'x@xn--bcher-kva.example.org'],
  ['x@\uff45xample.com', 'x@example.com'],
  ['x@fa\u00df.example', 'x@xn--fa-hia.example'],
  ['x@\u4f8b.\u516c\u53f8.cn', 'x@xn--fsq.xn--55qx5d.cn'],
  ['x@example.xn--p1ai', 'x@example.xn--p1ai'],
  ['x@example.\u0440\u0444', 'x@example.xn--p1ai'],
  ['x@example.com.', 'x@example.com'],
  ["o'brien+tag@mail.example.co.uk", "o'brien+tag@mail.example.co.uk"],
  ['a.b-c_d@example.com', 'a.b-c_d@example.com'],
])('%j is %j, also when it is read again', (text, address) => {
  expect(parseEmailAddress(text)).toEqual({ address });
  expect(toEmailAddress(address)).toBe(address);
  expect(toEmailDomain(text)).toBe(address.split('@')[1]);
});

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@example',
  'ada@localhost',
  'ada@@example.com',
  'ada@eve@example.com',
  'a da@example.com',
  'ada@exa mple.com',
  'ada@example.com\nBcc: eve@example.com',
  '"ada"@example.com',
  'ada.@example.com',
  '.ada@example.com',
  'a..b@example.com',
  'ada@-example.com',
  'ada@example..com',
  'ada@192.0.2.1',
  'ada@[192.0.2.1]',
  'ada@example.com:25',
  'ada@example.com/path',
  'ada@xn--.example.com',
  '\u212aate@example.com',
  'j\u00fcrgen@example.com',
  'ada\u202e@example.com',
  '<ada@example.com>',
  'Ada <ada@example.com>',
  'mailto:ada@example.com?x',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.com`,
])('%j is no address, and the problem says why', (text) => {
  expect(parseEmailAddress(text)).toEqual({
    problem: expect.stringMatching(/^must have|^must be/),
  });
  expect(toEmailDomain(text)).toBeNull();
});

test('a name that is not an address is compared in lower case', () => {
  expect(toComparableName('ADA.Lovelace')).toBe('ada.lovelace');
  expect(toComparableName('Ada@B\u00fccher.example')).toBe('ada@xn--bcher-kva.example');
});
