// The row that j and k move to; it gets the focus.
import { useState } from 'react';
import { useSingleKeys } from '../../parts/keys/single-keys.ts';

const KEY_NAMES = { j: 'Next decision', k: 'Previous decision' };

/** `scrollTo` draws a row that may not be in view; absent: all are drawn. */
export function useChosenRow(count: number, scrollTo?: (index: number) => void): number {
  const [chosen, setChosen] = useState(-1);
  function move(by: number): void {
    const next = Math.min(count - 1, Math.max(0, chosen + by));
    setChosen(next);
    scrollTo?.(next);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-row="${next}"] a`)?.focus(),
    );
  }
  useSingleKeys({ j: () => move(1), k: () => move(-1) }, KEY_NAMES);
  return chosen;
}
