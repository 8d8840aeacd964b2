// Single keys as shortcuts: not while something is written, and not at all where the person has switched them off.
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

type KeyActions = Readonly<Record<string, () => void>>;

/** A key that is held down moves on, and does nothing else again. */
const REPEATED = new Set(['j', 'k']);

/** Calls the action of a single key while the component is shown. */
export function useSingleKeys(actions: KeyActions): void {
  const isOn = useSingleKeysOn();
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    if (!isOn) return undefined;
    function handleKey(event: KeyboardEvent): void {
      if (event.defaultPrevented || isWriting(event.target)) return;
      const key = readKey(event);
      if (key === null || (event.repeat && !REPEATED.has(key))) return;
      const action = latest.current[key];
      if (!action) return;
      event.preventDefault();
      action();
    }
    document.documentElement.addEventListener('keydown', handleKey);
    return () => document.documentElement.removeEventListener('keydown', handleKey);
  }, [isOn]);
}

/** Calls the action of a key with Ctrl or Command, also while something is written. */
export function useCommandKey(key: string, action: () => void): void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  useEffect(() => {
    function handleKey(event: KeyboardEvent): void {
      if (readCommandKey(event) !== key) return;
      event.preventDefault();
      latest.current();
    }
    document.documentElement.addEventListener('keydown', handleKey);
    return () => document.documentElement.removeEventListener('keydown', handleKey);
  }, [key]);
}
