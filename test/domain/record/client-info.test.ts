// Parsing a User-Agent (document 2, DecisionTrace `clientInfo`).
import { expect, test } from 'vitest';
import { parseClientInfo } from '../../../src/domain/record/client-info.ts';

const info = (...[sdk, sdkVersion, runtime, os]: (string | null)[]) => ({
  sdk,
  sdkVersion,
  runtime,
  os,
});

test.each([
  ['assay-js/2.1.0 (node/22.1.0; linux)', info('assay-js', '2.1.0', 'node/22.1.0', 'linux')],
  [
    'assay-python/0.9 Python/3.12.1 (Darwin 23.4.0)',
    info('assay-python', '0.9', 'Python/3.12.1', 'Darwin 23.4.0'),
  ],
  ['python-requests/2.32.3', info('python-requests', '2.32.3', null, null)],
  ['curl/8.5.0', info('curl', '8.5.0', null, null)],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', info('Mozilla', '5.0', null, 'Windows NT 10.0')],
  ['node v22.1.0', info(null, null, 'node v22.1.0', null)],
])('%s', (userAgent, expected) => {
  expect(parseClientInfo(userAgent)).toEqual(expected);
});

test.each([[null], [''], ['???'], ['ada@example.com/1.0']])('%s is not recognised', (userAgent) => {
  expect(parseClientInfo(userAgent)).toBeNull();
});

test('does not take over an address beside a recognised text', () => {
  const text = JSON.stringify(
    parseClientInfo('sdk/1.0 (linux ada@example.com; node/22 bob@example.com)'),
  );
  expect(text).not.toContain('@');
  expect(parseClientInfo('sdk/1.0 (linux ada@example.com)')).toMatchObject({
    sdk: 'sdk',
    os: 'linux',
  });
});

test('the result is short for any text', () => {
  const found = parseClientInfo(
    `${'a'.repeat(100)}/${'1'.repeat(100)} (${'linux 1.2 '.repeat(50_000)})`,
  );
  expect(found).toEqual(info(null, null, null, 'linux 1.2'));
});
