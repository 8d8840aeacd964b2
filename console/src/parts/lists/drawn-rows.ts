// Which rows of a long list are drawn: those in view, of the window or of a frame that scrolls by itself.
import { useVirtualizer, useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type RefObject, useEffect } from 'react';

interface Options {
  count: number;
  /** How high a row is, until it is measured. */
  rowPx: number;
  toKey: (index: number) => string | number | undefined;
  /** Called when the last rows come into view. */
  onEnd?: (() => void) | undefined;
}

/** A row of the list, and what its element needs to stand in its place. */
interface DrawnRow {
  index: number;
  key: string | number | bigint;
  place: {
    'data-index': number;
    ref: (element: HTMLElement | null) => void;
    style: CSSProperties;
  };
}

export interface DrawnRows {
  height: number;
  rows: DrawnRow[];
  scrollTo: (index: number) => void;
}

/** Rows that are drawn beyond those in view. */
const AHEAD = 20;

const readOptions = ({ count, rowPx, toKey }: Options) => ({
  count,
  estimateSize: () => rowPx,
  overscan: AHEAD,
  getItemKey: (index: number) => toKey(index) ?? index,
});

function useDrawn<S extends Element | Window>(
  virtual: Virtualizer<S, HTMLElement>,
  { count, onEnd }: Options,
): DrawnRows {
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= count - AHEAD) onEnd?.();
  }, [last, count, onEnd]);
  return {
    height: virtual.getTotalSize(),
    rows: items.map(({ index, key, start }) => ({
      index,
      key,
      place: {
        'data-index': index,
        ref: virtual.measureElement,
        style: { transform: `translateY(${start - virtual.options.scrollMargin}px)` },
      },
    })),
    scrollTo: virtual.scrollToIndex,
  };
}

/** Rows in a frame that scrolls by itself. */
export const useFrameRows = (frame: RefObject<HTMLElement | null>, options: Options): DrawnRows =>
  useDrawn(
    useVirtualizer({ ...readOptions(options), getScrollElement: () => frame.current }),
    options,
  );

/** Rows of a list that scrolls with the page. */
export function useWindowRows(list: RefObject<HTMLElement | null>, options: Options): DrawnRows {
  const top = list.current?.getBoundingClientRect().top;
  const scrollMargin = top === undefined ? 0 : top + window.scrollY;
  return useDrawn(useWindowVirtualizer({ ...readOptions(options), scrollMargin }), options);
}
