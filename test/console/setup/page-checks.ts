// What holds on every page: accessible in light and dark, reached by keyboard with visible focus, and as narrow as a phone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { DESKTOP, type Visit } from './visit.ts';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** What the colour scheme may change. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

interface AxeWindow {
  axe: {
    run(
      context: Document,
      options: object,
    ): Promise<{
      violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
    }>;
  };
}

/** Violations, each with the first places where it occurs. */
async function findViolations(page: Page, rules: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as AxeWindow;
    const { violations } = await axe.run(document, {
      runOnly: rules,
      resultTypes: ['violations'],
      // Neither media nor sheets of others are on a page.
      preload: false,
    });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`)
          .join(' | ')}`,
    );
  }, rules);
}

/** Widths in which a page scrolls sideways; 320 px are also 1280 px at a zoom of 400 %. */
async function findOverflow(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 320, height: 800 });
  await settlePage(page);
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const sticking = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
    return scrollWidth > clientWidth
      ? [
          `${scrollWidth} px wide: ${sticking
            .slice(0, 4)
            .map((element) => element.outerHTML.slice(0, 120))
            .join(' | ')}`,
        ]
      : [];
  });
  await page.setViewportSize(DESKTOP);
  return wide;
}

interface FocusWindow {
  /** Controls that the focus reached, each with its look at that time. */
  stops: Map<HTMLElement | SVGElement, string>;
  readLook: (element: Element) => string;
  /** Controls in view of the keyboard that the focus did not reach so far. */
  findMissed: () => (HTMLElement | SVGElement)[];
  noteStop: (event: FocusEvent) => void;
}

/** Notes what the focus reaches from now on, beginning at the top of the page. */
async function watchFocus(page: Page): Promise<void> {
  await page.evaluate(() => {
    const own = window as unknown as FocusWindow;
    own.stops = new Map();
    own.readLook = (element) =>
      [undefined, '::after', '::before']
        .map((part) => {
          const look = getComputedStyle(element, part);
          const { outlineStyle, outlineWidth, boxShadow, borderColor } = look;
          return [outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor].join();
        })
        .join(';');
    own.findMissed = () => {
      // Rows of a long list are taken away and drawn again: the same control, though another element.
      const reached = new Set([...own.stops.keys()].map(({ outerHTML }) => outerHTML));
      const controls = 'a[href], button, input, select, textarea';
      return [...document.querySelectorAll<HTMLElement | SVGElement>(controls)].filter(
        (element) =>
          element.checkVisibility() &&
          !own.stops.has(element) &&
          !reached.has(element.outerHTML) &&
          !element.matches(':disabled, [tabindex="-1"], [type="radio"], [role="tab"]'),
      );
    };
    own.noteStop = ({ target }) => {
      // Parts of a chart that are no links are no controls.
      if (target instanceof HTMLElement || target instanceof SVGAElement)
        own.stops.set(target, own.readLook(target));
    };
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    document.addEventListener('focusin', own.noteStop);
  });
}

const KEYS_AT_ONCE = 40;
const MOST_KEYS = 400;

/** Walks over a page with the Tab key, more than once round if need be, until the focus has reached every control. */
async function walkByKeyboard(page: Page): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
  const countMissed = () =>
    page.evaluate(() => (window as unknown as FocusWindow).findMissed().length);
  for (let pressed = 0; pressed < MOST_KEYS; pressed += KEYS_AT_ONCE) {
    const presses = Array.from({ length: KEYS_AT_ONCE }, () => [
      browser.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key }),
      browser.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key }),
    ]);
    await Promise.all(presses.flat());
    if ((await countMissed()) === 0) break;
  }
  await browser.detach();
}

/** Controls that the Tab key never reaches, or whose focus cannot be seen. */
async function findFocusFaults(page: Page): Promise<string[]> {
  await watchFocus(page);
  await walkByKeyboard(page);
  return page.evaluate(() => {
    const { stops, readLook, findMissed, noteStop } = window as unknown as FocusWindow;
    document.removeEventListener('focusin', noteStop);
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    const describe = (element: Element): string => element.outerHTML.slice(0, 160);
    const unseen = [...stops]
      .filter(([element, look]) => element.isConnected && readLook(element) === look)
      .map(([element]) => `focus not seen: ${describe(element)}`);
    const missed = findMissed().map((element) => `never reached: ${describe(element)}`);
    return [...unseen, ...missed];
  });
}

/** Waits until a page shows what it has to show: nothing loads, nothing moves. */
export async function settlePage(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('h1') !== null &&
      document.querySelector('.mantine-Loader-root, .mantine-Skeleton-root') === null,
  );
  await page.evaluate(async () => {
    // What changed is drawn, and its transitions have begun.
    for (let moving = 1; moving > 0;) {
      for (let frame = 0; frame < 2; frame += 1)
        await new Promise((resolve) => requestAnimationFrame(resolve));
      const animations = document.getAnimations();
      await Promise.allSettled(animations.map(({ finished }) => finished));
      moving = animations.length;
    }
  });
}

/** Fails unless everything that every page promises holds for the one that is open. */
export async function expectGoodPage({ page, faults }: Visit): Promise<void> {
  await settlePage(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction(
      (scheme) => document.documentElement.dataset['mantineColorScheme'] === scheme,
      colorScheme,
    );
    await settlePage(page);
    const rules = colorScheme === 'light' ? RULES : COLOUR_RULES;
    expect(await findViolations(page, rules), colorScheme).toEqual([]);
  }
  expect(await findOverflow(page)).toEqual([]);
  expect(await findFocusFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
}
