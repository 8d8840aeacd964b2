// The items of a long queue: only those in view are drawn.
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { useFrameRows } from '../../parts/lists/drawn-rows.ts';
import type { ItemsProps } from './review-list.tsx';
import classes from './review-list.module.css';

const ROW_PX = 58;

export function LongItems({ items, chosen, pages, renderRow }: ItemsProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const { height, rows, scrollTo } = useFrameRows(frame, {
    count: items.length,
    rowPx: ROW_PX,
    toKey: (index) => items[index]?._id,
    onEnd: hasNextPage && !isFetchingNextPage ? loadMore : undefined,
  });
  const chosenId = chosen?._id;
  const at = items.findIndex(({ _id }) => _id === chosenId);
  useEffect(() => {
    if (at >= 0) scrollTo(at);
  }, [at, chosenId, scrollTo]);
  return (
    <div ref={frame} className={classes.scroller}>
      <ol aria-label="Decisions to review" className={classes.list} data-virtual style={{ height }}>
        {rows.map(({ index, key, place }) => {
          const item = items[index];
          return (
            item && (
              <li
                key={key}
                {...place}
                aria-posinset={index + 1}
                aria-setsize={hasNextPage ? -1 : items.length}
              >
                {renderRow(item)}
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}
