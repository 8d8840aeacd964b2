// One Chromium for the test files of a worker, found where Debian puts it or where CHROMIUM says.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { beforeAll } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function findBrowser(): string {
  const { CHROMIUM: named } = process.env;
  const found = named ?? PLACES.find((place) => existsSync(place));
  if (found === undefined) throw new Error('No Chromium is installed; CHROMIUM names another one');
  return found;
}

/** The browser of this worker, once a file has asked for it; it ends with the worker. */
let shared: Promise<Browser> | undefined;

/**
 * The browser that the files of a worker share; their visits have windows of their own. `ASSAY_TEST_SLOW_MS`: each step
 * of a test waits that long, so that one fails which hopes that a page has not noticed yet what it soon will.
 */
export function useChromium(): { browser: Browser } {
  const held = {} as { browser: Browser };
  beforeAll(async () => {
    held.browser = await (shared ??= chromium.launch({
      executablePath: findBrowser(),
      args: QUIET,
      slowMo: Number(process.env.ASSAY_TEST_SLOW_MS ?? 0),
    }));
  });
  return held;
}
