// Visits pages of the console as a person would, and notes what a page must never do.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { TestApp } from '../../setup/start-app.ts';

export interface Visit {
  page: Page;
  /** Requests to other origins, reports of the policy, errors in the console: expected to stay empty. */
  faults: string[];
  close(): Promise<void>;
}

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Browsers report a failed answer as an error; pages that meet one on purpose say which. */
const FAILED_ANSWER = /Failed to load resource/;

function noteFaults(page: Page, origin: string, faults: string[]): void {
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${origin}/`)) faults.push(`request: ${url}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' && !/Content.Security.Policy/i.test(message.text())) return;
    const at = FAILED_ANSWER.test(message.text()) ? ` ${message.location().url}` : '';
    faults.push(`console: ${message.text()}${at}`);
  });
}

/**
 * Opens a page of the console. `token`: the session of its cookie; absent: no one is signed in.
 * Nothing moves unless a test asks for it: a dialog that glides in can be clicked only when it stands.
 */
export async function openConsole(
  browser: Browser,
  app: TestApp,
  { token, ...options }: BrowserContextOptions & { token?: string } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    baseURL: app.url,
    reducedMotion: 'reduce',
    ...options,
  });
  if (token !== undefined) await addSession(context.addCookies.bind(context), app, token);
  await delayRequests(context);
  const page = await context.newPage();
  const faults: string[] = [];
  noteFaults(page, app.url, faults);
  return { page, faults, close: () => context.close() };
}

/**
 * `ASSAY_TEST_DELAY_MS`: each request to the API waits that long, so that a test fails which reads what a page has not
 * done yet, such as one that takes the text in a field for the saved one.
 */
async function delayRequests(context: BrowserContext): Promise<void> {
  const ms = Number(process.env.ASSAY_TEST_DELAY_MS ?? 0);
  if (ms === 0) return;
  await context.route(/\/api\/|\/console\/session/, async (route) => {
    await sleep(ms);
    // The page may have left, and its request with it.
    await route.continue().catch(() => undefined);
  });
}

/** The cookie as the service sets it for the token. */
async function addSession(
  addCookies: (cookies: { name: string; value: string; domain: string; path: string }[]) => unknown,
  app: TestApp,
  token: string,
): Promise<void> {
  const answer = await app.call('POST', '/console/session', { token });
  const [, name = '', value = ''] =
    /^([^=]+)=([^;]*)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
  await addCookies([{ name, value, domain: new URL(app.url).hostname, path: '/api' }]);
}
