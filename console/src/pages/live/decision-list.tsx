// A list of decisions of any length: only the rows in view are drawn, and the arrow keys or j and k move among them.
import { Box, Paper, Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Decision } from '../../parts/decision-stream.ts';
import { describeProposal } from '../../parts/decision-text.ts';
import { useSingleKeys } from '../../parts/keys/single-keys.ts';
import { Score } from '../../parts/score.tsx';
import { StoredLine } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import classes from './decision-list.module.css';

interface Props {
  decisions: readonly Decision[];
  hasMore: boolean;
  /** Called when the last row comes into view. */
  onEnd: () => void;
}

const ROW_PX = 44;
const AHEAD = 20;

/** Index of the chosen row, moved by keys; the row gets the focus. */
function useChosenRow(count: number, scrollTo: (index: number) => void): number {
  const [chosen, setChosen] = useState(-1);
  function move(by: number): void {
    const next = Math.min(count - 1, Math.max(0, chosen + by));
    setChosen(next);
    scrollTo(next);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-row="${next}"] a`)?.focus(),
    );
  }
  useSingleKeys({ j: () => move(1), k: () => move(-1) });
  return chosen;
}

export function DecisionList({ decisions, hasMore, onEnd }: Props): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useWindowVirtualizer({
    count: decisions.length,
    estimateSize: () => ROW_PX,
    overscan: AHEAD,
    scrollMargin: frame.current?.offsetTop ?? 0,
    getItemKey: (index) => decisions[index]?.traceId ?? index,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= decisions.length - AHEAD) onEnd();
  }, [hasMore, last, decisions.length, onEnd]);
  const chosen = useChosenRow(decisions.length, (index) => virtual.scrollToIndex(index));
  return (
    <Paper>
      <div role="table" aria-label="Decisions" aria-rowcount={hasMore ? -1 : decisions.length + 1}>
        <div role="row" aria-rowindex={1} className={`${classes.row} ${classes.head}`}>
          {['Verdict', 'Confidence', 'Action', 'Agent', 'Policy', 'Time'].map((name) => (
            <Text key={name} role="columnheader" size="xs" fw={600} c="dimmed">
              {name}
            </Text>
          ))}
        </div>
        <Box ref={frame} role="rowgroup" pos="relative" h={virtual.getTotalSize()}>
          {rows.map(({ index, start, key }) => {
            const decision = decisions[index];
            if (!decision) return null;
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-row={index}
                data-selected={index === chosen}
                role="row"
                aria-rowindex={index + 2}
                className={`${classes.row} ${classes.item}`}
                style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
              >
                <Row decision={decision} />
              </div>
            );
          })}
        </Box>
      </div>
    </Paper>
  );
}

function Row({ decision }: { decision: Decision }): ReactNode {
  const { traceId, status, confidenceScore, agentName, agentId, matchedPolicy } = decision;
  return (
    <>
      <div role="cell" className={classes.verdict}>
        <Verdict status={status} />
      </div>
      <div role="cell" className={classes.score}>
        <Score value={confidenceScore} />
      </div>
      <div role="cell" className={classes.action}>
        <Link to="/decisions/$traceId" params={{ traceId }} className={classes.link}>
          <StoredLine value={describeProposal(decision)} />
        </Link>
      </div>
      <div role="cell" className={classes.agent}>
        <StoredLine value={agentName ?? agentId} />
      </div>
      <div role="cell" className={classes.policy}>
        <Text span size="sm" c="dimmed" className="clamp" display="block">
          {matchedPolicy?.name ?? '—'}
        </Text>
      </div>
      <div role="cell" className={classes.time}>
        <Ago at={decision.createdAt} />
      </div>
    </>
  );
}
