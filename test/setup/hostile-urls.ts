// URLs that nothing may ever be sent to, in every known disguise; `PORT` stands for that of a server that would notice.
const HOSTS = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '0.0.0.0', '0', '0.1.2.3'],
  ...['2130706433', '017700000001', '0x7f000001', '0x7f.1', '0177.0.0.1', '0x7f.0x0.0x0.0x1'],
  ...['%31%32%37.0.0.1', '127%2E0.0.1', '１２７.０.０.１', '①②⑦.0.0.1', '127。0。0。1'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'db.localhost', 'a.b.localhost.', 'ⓛocalhost'],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1'],
  ...['169.254.169.254', '0xa9.254.0251.0376', '2852039166', '169.254.0.1', '168.63.129.16'],
  ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['[::]', '[::1]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]'],
  ...['[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
  ...['[2001::7f00:1]', '[fd00::1]', '[fc00::1]', '[fe80::1]', '[fec0::1]', '[ff02::1]'],
  ...['[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[4000::1]'],
  ...['user@hooks.example.com', 'user:password@hooks.example.com', 'example.com@127.0.0.1'],
];
const SCHEMES = [
  'http://hooks.example.com/',
  'http://127.0.0.1:PORT/',
  'ftp://hooks.example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_x',
  'javascript:alert(1)',
  'data:text/plain,x',
];

export const listHostileUrls = (port: number): string[] => [
  ...HOSTS.map((host) => `https://${host}:${port}/hook`),
  ...SCHEMES.map((url) => url.replace('PORT', String(port))),
];
