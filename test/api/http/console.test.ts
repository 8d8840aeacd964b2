// The console's files: served under a strict policy, hashed ones for good, and a waiting page until they are built.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useHarness } from '../../setup/fixtures.ts';

const folder = join(inject('scratch'), `assay-console-${generateHex(6)}`);
const SCRIPT = 'console.log("a script");\n';

function buildConsole(): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const page = '<meta name="assay-nonce" content="NONCE_OF_THE_RESPONSE"><div id="root"></div>';
  writeFileSync(join(folder, 'assets/main-abc.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/secret.txt'), 'not a file of the console');
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'verify.html'), '<script nonce="NONCE_OF_THE_RESPONSE"></script>');
}

beforeAll(buildConsole);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const harness = useHarness({}, { consoleFolder: folder });
const unbuilt = useHarness({}, { consoleFolder: join(folder, 'nothing') });
const without = useHarness({ ASSAY_CONSOLE: 'off' }, { consoleFolder: folder });

test.each(['/console', '/console/live', '/console/decisions/trc_1'])(
  '%s is the page, never cached, with a policy whose nonce is its own',
  async (path) => {
    const answer = await harness.app.call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const policy = answer.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /'nonce-([\w-]{20,})'/.exec(policy) ?? [];
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
        "connect-src 'self'; font-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(answer.text).toContain(`content="${nonce}"`);
    const again = await harness.app.call('GET', path);
    expect(again.text).not.toContain(nonce);
  },
);

test('/verify may connect to nothing, and runs its own script alone', async () => {
  const answer = await harness.app.call('GET', '/verify');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const policy = answer.headers.get('content-security-policy') ?? '';
  const [, nonce = ''] = /'nonce-([\w-]{20,})'/.exec(policy) ?? [];
  expect(policy).toBe(
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:; worker-src blob:; ` +
      "connect-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(answer.text).toBe(`<script nonce="${nonce}"></script>`);
  expect((await harness.app.call('GET', '/verify')).text).not.toContain(nonce);
  expect((await unbuilt.app.call('GET', '/verify')).status).toBe(503);
});

test('a file with a hash in its name is kept for good, and comes compressed for callers that accept that', async () => {
  const plain = await harness.app.call('GET', '/console/assets/main-abc.js');
  expect(plain.text).toBe(SCRIPT);
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(plain.headers.get('vary')).toContain('Accept-Encoding');
  const { headers, body } = await request(`${harness.app.url}/console/assets/main-abc.js`, {
    headers: { 'accept-encoding': 'gzip, br' },
  });
  expect(headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(Buffer.from(await body.arrayBuffer())).toString()).toBe(SCRIPT);
});

test.each([
  '/console/assets/secret.txt',
  '/console/assets/other.js',
  '/console/assets/..%2findex.html',
  '/console/assets/..%2f..%2f..%2fetc%2fpasswd',
  '/console/assets/main-abc.js.br',
  '/console/assets/',
])('%s is no file of the console', async (path) => {
  expect((await harness.app.call('GET', path)).status).toBe(404);
});

test('browsers that ask for nothing are led to the console; other callers are not', async () => {
  const page = await harness.app.call('GET', '/', { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/console']);
  expect((await harness.app.call('GET', '/')).status).toBe(404);
});

test.each(['accept-invite', 'complete-signup', 'magic-link', 'reset-password'])(
  'the address /%s of mails leads to its page',
  async (page) => {
    const answer = await harness.app.call('GET', `/${page}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `/console/${page}`]);
  },
);

test('the address of the mail that asks whether to keep an organisation leads to its page', async () => {
  const answer = await harness.app.call('GET', '/keep-organization');
  expect(answer.headers.get('location')).toBe('/console/settings/organization');
});

test('until it is built, a page says so and loads itself again', async () => {
  const answer = await unbuilt.app.call('GET', '/console');
  expect([answer.status, answer.headers.get('refresh')]).toEqual([503, '1']);
  expect(answer.text).toContain('npm run build');
});

test('what is built while the service runs is served from then on', async () => {
  const later = join(folder, 'nothing');
  mkdirSync(later);
  writeFileSync(join(later, 'index.html'), '<div id="root">built</div>');
  expect((await unbuilt.app.call('GET', '/console')).text).toContain('built</div>');
});

test('switched off, nothing of it is there', async () => {
  for (const path of [
    '/console',
    '/console/live',
    '/console/assets/main-abc.js',
    '/magic-link',
    '/verify',
  ])
    expect((await without.app.call('GET', path)).status, path).toBe(404);
  const accept = { accept: 'text/html' };
  expect((await without.app.call('GET', '/', { headers: accept })).status).toBe(404);
  expect((await without.app.call('POST', '/console/session')).status).toBe(404);
});
