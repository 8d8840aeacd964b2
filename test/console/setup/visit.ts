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

type Options = BrowserContextOptions & {
  /** The session of its cookie; absent: no one is signed in. */
  token?: string;
  /** Nothing is in the cache of the browser. */
  isFirst?: boolean;
};

/**
 * Opens a page of the console, in a window that an earlier visit has left if there is one: as a person's browser does,
 * it has the console's files and their compiled code already. A window of a size or scheme of its own is a new one.
 * Nothing moves unless a test asks for it: a dialog that glides in can be clicked only when it stands.
 */
export async function openConsole(
  browser: Browser,
  app: TestApp,
  { token, isFirst = false, ...options }: Options = {},
): Promise<Visit> {
  const isOwn = isFirst || Object.keys(options).length > 0;
  const windows = listWindows(browser, app.url);
  const context = (isOwn ? undefined : windows.pop()) ?? (await openWindow(browser, app, options));
  if (token !== undefined) await addSession(context.addCookies.bind(context), app, token);
  const page = await context.newPage();
  const faults: string[] = [];
  noteFaults(page, app.url, faults);
  return {
    page,
    faults,
    async close() {
      if (isOwn) return context.close();
      await leaveWindow(context, page, app.url);
      windows.push(context);
    },
  };
}

const allWindows = new WeakMap<Browser, Map<string, BrowserContext[]>>();

/** Windows of a browser that visits of an address have left. */
function listWindows(browser: Browser, url: string): BrowserContext[] {
  const ofBrowser = allWindows.get(browser) ?? new Map<string, BrowserContext[]>();
  allWindows.set(browser, ofBrowser);
  const windows = ofBrowser.get(url) ?? [];
  ofBrowser.set(url, windows);
  return windows;
}

async function openWindow(
  browser: Browser,
  app: TestApp,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    baseURL: app.url,
    reducedMotion: 'reduce',
    ...options,
  });
  await delayRequests(context);
  return context;
}

/** Takes away what a visit left in its window, but for files that anyone may have. */
async function leaveWindow(context: BrowserContext, page: Page, origin: string): Promise<void> {
  const devtools = await context.newCDPSession(page);
  const storageTypes = 'local_storage,indexeddb,service_workers,cache_storage';
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes });
  for (const open of context.pages()) await open.close();
  await context.clearCookies();
  await context.setOffline(false);
}

/**
 * `ASSAY_TEST_DELAY_MS`: each request to the API waits up to that long, so that one may overtake another, and a test fails
 * which reads what a page has not done yet, such as one that takes the text in a field for the saved one.
 */
async function delayRequests(context: BrowserContext): Promise<void> {
  const ms = Number(process.env.ASSAY_TEST_DELAY_MS ?? 0);
  if (ms === 0) return;
  await context.route(/\/api\/|\/console\/session/, async (route) => {
    await sleep(Math.random() * ms);
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
