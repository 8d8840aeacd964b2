// The steps of a session as a list of any length: only the rows in view are drawn, and keys move among them.
import { Box, Paper, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { useFrameRows } from '../../parts/lists/drawn-rows.ts';
import { markInvisible, StoredLine } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { describeVerdict, Sign, Verdict } from '../../parts/verdict.tsx';
import type { Replayed, Step } from './session-queries.ts';
import classes from './step-list.module.css';
import { chooseTone, describeEvent, describeStep, type StepRow } from './step-rows.ts';

const ROW_PX = 40;
const INDENT_PX = 18;

interface Props {
  rows: readonly StepRow[];
  chosen: number;
  onChoose: (index: number) => void;
  onOpen: () => void;
  toName: (step: Step) => string | null;
  /** What the policies of today say; undefined: they are not asked. */
  replayed: ReadonlyMap<string, Replayed> | undefined;
}

export function StepList({ rows, chosen, onChoose, onOpen, toName, replayed }: Props): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const {
    height,
    rows: drawn,
    scrollTo,
  } = useFrameRows(frame, {
    count: rows.length,
    rowPx: ROW_PX,
    toKey: (index) => rows[index]?.step.sequence,
  });
  useEffect(() => {
    if (chosen >= 0) scrollTo(chosen);
  }, [chosen, scrollTo]);
  function handleKey(event: KeyboardEvent): void {
    const act = {
      ArrowDown: () => onChoose(chosen + 1),
      ArrowUp: () => onChoose(chosen - 1),
      Home: () => onChoose(0),
      End: () => onChoose(rows.length - 1),
      Enter: onOpen,
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
  return (
    <Paper>
      <div
        ref={frame}
        onKeyDown={handleKey}
        className={classes.frame}
        role="listbox"
        aria-label="Steps"
        tabIndex={0}
        aria-activedescendant={rows[chosen] && `step-${rows[chosen].step.sequence}`}
      >
        <Box pos="relative" h={height} role="presentation">
          {drawn.map(({ index, key, place }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <div
                key={key}
                id={`step-${row.step.sequence}`}
                role="option"
                aria-selected={index === chosen}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                data-step={index}
                className={classes.row}
                {...place}
                onClick={() => onChoose(index)}
              >
                <Row row={row} name={toName(row.step)} replayed={replayed} />
              </div>
            );
          })}
        </Box>
      </div>
    </Paper>
  );
}

interface RowProps {
  row: StepRow;
  name: string | null;
  replayed: Props['replayed'];
}

function Row({ row, name, replayed }: RowProps): ReactNode {
  const { step, depth } = row;
  return (
    <>
      <StepSign step={step} />
      <div className={classes.text}>
        {depth > 0 && (
          <span
            className={classes.rail}
            style={{ marginInlineStart: (depth - 1) * INDENT_PX + 6 }}
          />
        )}
        <Words row={row} name={name} replayed={replayed} />
      </div>
      <div className={classes.who}>
        <Text span size="sm" c="dimmed" className="clamp" display="block">
          {markInvisible(step.policy ?? name ?? '')}
        </Text>
      </div>
      <div className={classes.time}>
        <Ago at={step.at} />
      </div>
    </>
  );
}

/** The state of a step as colour, shape and word. */
export function StepSign({ step }: { step: Step }): ReactNode {
  const { kind, verdict, result } = step;
  if (kind === 'decision' || kind === 'child') return <Verdict status={verdict ?? 'pending'} />;
  if (kind === 'verdict' && result !== null) return <Verdict status={result} />;
  return <Sign tone={chooseTone(step)}>{describeEvent(step)}</Sign>;
}

function Words({ row: { step, decision }, name, replayed }: RowProps): ReactNode {
  if (step.kind === 'decision' || step.kind === 'child') {
    const agent =
      step.kind === 'child' ? `${step.agentName ?? step.agentId ?? 'another agent'}: ` : '';
    return (
      <>
        <Differs step={step} replayed={replayed} />
        <StoredLine value={`${agent}${describeStep(step)}`} />
      </>
    );
  }
  const about = decision ? (decision.tool ?? describeStep(decision)) : null;
  const words = [about, step.reason ?? step.summary].filter((text) => text !== null).join(': ');
  return (
    <Text span size="sm" c="dimmed" className="clamp" display="block" dir="auto">
      {markInvisible(words || (name ?? ''))}
    </Text>
  );
}

/** Marks a decision that the policies of today would decide otherwise. */
function Differs({ step, replayed }: Pick<RowProps, 'replayed'> & { step: Step }): ReactNode {
  const now = step.traceId === null ? undefined : replayed?.get(step.traceId);
  if (!now || now.to === null || now.to === now.from) return null;
  return (
    <Text span size="xs" fw={600} c="var(--assay-held)" className="verdict">
      {`now ${describeVerdict(now.to)}`}
    </Text>
  );
}
