// Single keys as shortcuts, or two that follow each other: not while something is written, and not where they are switched off.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { keepInBrowser, readKept } from '../../session/browser-storage.ts';
import { readCommandKey, readKey } from './read-key.ts';

const SETTING = 'assay-single-keys';
/** The browser informs other tabs alone. */
const CHANGED = 'assay-single-keys-changed';

const isSwitchedOn = (): boolean => readKept(SETTING) !== 'off';

function subscribe(notify: () => void): () => void {
  addEventListener('storage', notify);
  addEventListener(CHANGED, notify);
  return () => {
    removeEventListener('storage', notify);
    removeEventListener(CHANGED, notify);
  };
}

/** Whether single keys do something: a setting of this browser. */
export const useSingleKeysOn = (): boolean => useSyncExternalStore(subscribe, isSwitchedOn);

export function switchSingleKeys(isOn: boolean): void {
  keepInBrowser(SETTING, isOn ? null : 'off');
  dispatchEvent(new Event(CHANGED));
}

const NO_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'range']);

/** Whether keys write something there. */
function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NO_TEXT.has(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable;
}

/** What keys do: `j`, or `g l` for two that follow each other. */
type KeyActions = Readonly<Record<string, () => void>>;

/** A key that is held down moves on, and does nothing else again. */
const REPEATED = new Set(['j', 'k']);
/** The second of two keys comes soon. */
const SECOND_KEY_MS = 1500;

interface Shown {
  actions: KeyActions;
  /** What they do, for people. */
  names: Readonly<Record<string, string>>;
}

/** The latest counts, since a page lies over its frame. */
const shown: { readonly current: Shown }[] = [];
let first: { key: string; at: number } | null = null;

/** Keys that do something now with what they do, those of the page first. */
export function listNamedKeys(): (readonly [keys: string, does: string])[] {
  const named = shown.toReversed().flatMap(({ current }) => Object.entries(current.names));
  return named.filter(([keys], at) => named.findIndex(([other]) => other === keys) === at);
}

function findAction(keys: string): (() => void) | undefined {
  const found = shown.findLast(({ current }) => Object.hasOwn(current.actions, keys));
  return found?.current.actions[keys];
}

const isBeginning = (key: string): boolean =>
  shown.some(({ current }) =>
    Object.keys(current.actions).some((keys) => keys.startsWith(`${key} `)),
  );

/** The keys of a dialog belong to it. */
const hasDialog = (): boolean => document.querySelector('[role="dialog"]') !== null;

function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || isWriting(event.target) || hasDialog()) return;
  const key = readKey(event);
  if (key === null || (event.repeat && !REPEATED.has(key))) return;
  const isSecond = first !== null && event.timeStamp - first.at < SECOND_KEY_MS;
  const action = findAction(isSecond ? `${first?.key} ${key}` : key);
  first = !isSecond && isBeginning(key) ? { key, at: event.timeStamp } : null;
  if (!action) return;
  event.preventDefault();
  action();
}

const UNNAMED = {};

/** Calls the action of a key while the component is shown; the dialog of all keys has those with a name. */
export function useSingleKeys(actions: KeyActions, names: Shown['names'] = UNNAMED): void {
  const isOn = useSingleKeysOn();
  const latest = useRef({ actions, names });
  useEffect(() => {
    latest.current = { actions, names };
  });
  useEffect(() => {
    if (!isOn) return undefined;
    if (shown.length === 0) document.documentElement.addEventListener('keydown', handleKey);
    shown.push(latest);
    return () => {
      shown.splice(shown.indexOf(latest), 1);
      if (shown.length === 0) document.documentElement.removeEventListener('keydown', handleKey);
    };
  }, [isOn]);
}

/** Calls the action of a key with Ctrl or Command, also while something is written. */
export function useCommandKey(key: string, action: () => void): void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  useEffect(() => {
    function handleCommand(event: KeyboardEvent): void {
      if (readCommandKey(event) !== key) return;
      event.preventDefault();
      latest.current();
    }
    document.documentElement.addEventListener('keydown', handleCommand);
    return () => document.documentElement.removeEventListener('keydown', handleCommand);
  }, [key]);
}
