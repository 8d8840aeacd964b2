// The rows of a long list: only those in view are drawn.
import { Box } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { Decision } from '../../parts/decision-stream.ts';
import { useWindowRows } from '../../parts/lists/drawn-rows.ts';
import { useChosenRow } from './chosen-row.ts';
import classes from './decision-list.module.css';

interface Props {
  decisions: readonly Decision[];
  hasMore: boolean;
  /** Called when the last row comes into view. */
  onEnd: () => void;
  renderRow: (index: number) => ReactNode;
}

const ROW_PX = 44;

export function LongRows({ decisions, hasMore, onEnd, renderRow }: Props): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const { height, rows, scrollTo } = useWindowRows(frame, {
    count: decisions.length,
    rowPx: ROW_PX,
    toKey: (index) => decisions[index]?.traceId,
    onEnd: hasMore ? onEnd : undefined,
  });
  const chosen = useChosenRow(decisions.length, scrollTo);
  return (
    <Box ref={frame} role="rowgroup" pos="relative" h={height}>
      {rows.map(({ index, key, place }) => (
        <div
          key={key}
          {...place}
          data-row={index}
          data-selected={index === chosen}
          role="row"
          aria-rowindex={index + 2}
          className={`${classes.row} ${classes.item} ${classes.placed}`}
        >
          {renderRow(index)}
        </div>
      ))}
    </Box>
  );
}
