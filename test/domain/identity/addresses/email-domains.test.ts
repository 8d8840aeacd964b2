// The e-mail domains that can be claimed, and their normal form.
import { expect, test } from 'vitest';
import { parseClaimedDomain } from '../../../../src/domain/identity/addresses/email-domains.ts';

test.each([
  ['example.com', 'example.com'],
  [' Example.COM. ', 'example.com'],
  ['mail.example.co.uk', 'mail.example.co.uk'],
  ['example.co.uk', 'example.co.uk'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER。example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['ｅｘａｍｐｌｅ.com', 'example.com'],
  ['a-b.example', 'a-b.example'],
  ['1and1.example', '1and1.example'],
  ['corp.gmail.com', 'corp.gmail.com'],
  ['com.com', 'com.com'],
  ['co.example', 'co.example'],
  ['id.de', 'id.de'],
  ['ada.github.io', 'ada.github.io'],
  ['city.kawasaki.jp', 'city.kawasaki.jp'],
  ['www.ck', 'www.ck'],
  ['例.公司.cn', 'xn--fsq.xn--55qx5d.cn'],
  ['a.xn--55qx5d.cn', 'a.xn--55qx5d.cn'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
])('%s is %s', (text, domain) => {
  expect(parseClaimedDomain(text)).toEqual({ domain });
});

test.each([
  ...[
    '',
    ' ',
    '.',
    'a..b',
    '.example.com',
    'example..com',
    '@example.com',
    'ada@example.com',
    'example.com/path',
  ],
  ...[
    'example.com:443',
    'example.com?x',
    'example.com#x',
    'exa mple.com',
    '*.example.com',
    '_dmarc.example.com',
  ],
  ...[
    '-a.example',
    'a-.example',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '::1',
    '1.2.3',
    'example.123',
    'a%2eb.com',
  ],
  ...[
    'a\\b.com',
    'a\u0000b.com',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}example`,
    'xn--a.example',
    'ex\tample.com',
  ],
])('%j is not a domain name', (text) => {
  expect(parseClaimedDomain(text)).toEqual({ problem: 'is not a domain name' });
});

test.each([
  'com',
  'example',
  'localhost',
  'co.uk',
  'CO.UK.',
  'com.au',
  'or.at',
  'gv.at',
  'ac.jp',
  'org.br',
  'gouv.fr',
  'nhs.uk',
  'asso.fr',
  'home.arpa',
  'kawasaki.jp',
  'foo.kawasaki.jp',
  'foo.ck',
  'pvt.k12.ma.us',
  '公司.cn',
  'xn--55qx5d.cn',
  'XN--FIQS8S',
  '中国',
])('%s is a public suffix', (text) => {
  expect(parseClaimedDomain(text)).toEqual({ problem: 'is a public suffix' });
});

test.each(['github.io', 'GitHub.io.', 'blogspot.com', 'appspot.com', 'uk.com', 's3.amazonaws.com'])(
  '%s is a public suffix by the private section of the list',
  (text) => {
    expect(parseClaimedDomain(text)).toEqual({ problem: 'is a public suffix' });
  },
);

test.each([
  'gmail.com',
  'GMail.com',
  'outlook.com',
  'ｇｍａｉｌ.com',
  'gmx.de',
  'qq.com',
  '163.com',
  'proton.me',
])('%s is a public e-mail provider', (text) => {
  expect(parseClaimedDomain(text)).toEqual({ problem: 'is a public e-mail provider' });
});
