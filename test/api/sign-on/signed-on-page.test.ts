// The page that ends a sign-on without a configured front end: it shows the result and runs no script.
import { expect, test } from 'vitest';
import { registry } from '../../../src/errors.ts';
import { useHarness } from '../../setup/fixtures.ts';
import { Browser, parseLanding } from '../../setup/browser.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;

const page = (query = ''): Promise<Answer> => app.call('GET', `/signed-on${query}`);

test('a failed login leads there, and is explained in words', async () => {
  const browser = new Browser(app);
  const answer = await browser.returnFromProvider('sso/callback', { state: 'unknown' });
  const { at, query } = parseLanding(answer);
  expect([at, query]).toEqual([
    `${app.instance.platform.publicUrl}/signed-on`,
    { error: 'INVALID_TOKEN' },
  ]);
  const shown = await page('?error=INVALID_TOKEN');
  expect(shown.status).toBe(200);
  expect(shown.headers.get('content-type')).toMatch(/^text\/html/);
  expect(shown.text).toContain('was not begun in this browser');
});

test('runs nothing, loads nothing from elsewhere, and is neither framed nor cached', async () => {
  const shown = await page();
  expect(shown.text).not.toMatch(/<script|style=|<style|\son\w+=|https?:/);
  const policy = shown.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; style-src 'self'; frame-ancestors 'none'/);
  expect(policy).not.toMatch(/unsafe|script/);
  expect(shown.headers.get('cache-control')).toBe('no-store');
  const [, style = ''] = /href="([^"]+)"/.exec(shown.text) ?? [];
  expect((await app.call('GET', style)).headers.get('content-type')).toMatch(/^text\/css/);
});

test('every code has words of its own, and what is no code is not repeated', async () => {
  for (const code of Object.keys(registry)) {
    const { text } = await page(`?error=${code}`);
    expect(text, code).toContain(`(${code})`);
  }
  const endings = await Promise.all(['', '?ssoMfa=1', '?error=FORBIDDEN'].map(page));
  expect(new Set(endings.map(({ text }) => text)).size).toBe(3);
  for (const hostile of ['<script>alert(1)</script>', 'constructor', '__proto__', 'Call%20us']) {
    const { text } = await page(`?error=${hostile}`);
    expect(text).toContain('Unknown error');
    expect(text).not.toContain(decodeURIComponent(hostile));
  }
  expect((await page('?error=FORBIDDEN&error=CONFLICT')).status).toBe(200);
});
