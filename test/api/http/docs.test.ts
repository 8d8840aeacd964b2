// The API reference: a page without inline scripts and external requests that shows the document of the routes.
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';

const harness = useHarness();
const { app } = harness;

test('the page is served under a strict policy, without credentials', async () => {
  const { status, headers } = await app.call('GET', '/docs');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = Object.fromEntries(
    (headers.get('content-security-policy') ?? '').split('; ').map((part) => {
      const [name = '', ...values] = part.split(' ');
      return [name, values];
    }),
  );
  expect(policy).toEqual({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'style-src-attr': ["'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'frame-ancestors': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  });
});

test('the page loads only local assets with their declared types', async () => {
  const { text } = await app.call('GET', '/docs');
  const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(loaded).toEqual([
    '/docs/assets/swagger-ui.css',
    '/docs/assets/swagger-ui-bundle.js',
    '/docs/start.js',
  ]);
  const types = await Promise.all(
    loaded.map(async (address) => {
      const answer = await app.call('GET', address);
      expect(answer.status, address).toBe(200);
      return answer.headers.get('content-type')?.split(';')[0];
    }),
  );
  expect(types).toEqual(['text/css', 'text/javascript', 'text/javascript']);
  expect(text).not.toMatch(/<script>|<style|\son\w+=|https?:\/\//);
});

test('nothing outside the folder of assets is served', async () => {
  for (const path of [
    '/docs/assets/../package.json',
    '/docs/assets/%2e%2e/%2e%2e/package.json',
    '/docs/assets/none.js',
  ])
    expect((await app.call('GET', path)).status, path).toBe(404);
});

test('the document it shows lists the mounted operations', async () => {
  const { status, body } = await app.call('GET', '/openapi.json');
  expect([status, body.openapi]).toEqual([200, '3.1.0']);
  expect(body.paths['/api/v1/auth/login'].post['x-limits']).toEqual(['auth', 'account']);
});

test('both migration guides are on the page', async () => {
  const { text } = await app.call('GET', '/docs');
  for (const anchor of ['migration', 'schema-versions']) expect(text).toContain(`id="${anchor}"`);
  for (const said of ['2027-04-12', '2026-04-11']) expect(text).toContain(said);
});

test('answers of the interface may load and frame nothing', async () => {
  const { headers } = await app.call('GET', '/health');
  expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
});
