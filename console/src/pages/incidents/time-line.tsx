// The clocks of all regulators on one axis of time: what is done, what is due, what is late, and now.
import { Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../parts/layout/section.tsx';
import { formatToMinute, useNow } from '../../parts/time.tsx';
import {
  type Clock,
  findCheckpointState,
  type Incident,
  REGULATOR_NAMES,
} from './incident-texts.ts';
import { toTitle } from '../../parts/words.ts';
import classes from './time-line.module.css';

const WORDS = { done: 'completed', late: 'late', due: 'due' } as const;
const DAY = 86_400_000;

const toTime = (at: string): number => new Date(at).getTime();

interface Axis {
  start: number;
  /** From the start to the end; a logarithm: the first hours matter as much as the last weeks. */
  toShare: (at: number) => number;
}

function createAxis({ clocks, detectedAt }: Incident): Axis {
  const start = Math.min(
    toTime(detectedAt),
    ...clocks.map((clock) => toTime(clock.clockStartedAt)),
  );
  const end = Math.max(...clocks.map((clock) => toTime(clock.finalDeadlineAt)), start + DAY);
  const toScale = (ms: number): number => Math.log1p(Math.max(0, ms) / 3_600_000);
  const whole = toScale(end - start);
  return { start, toShare: (at) => Math.min(1, toScale(at - start) / whole) };
}

const toPercent = (share: number): string => `${(100 * share).toFixed(2)}%`;

export function TimeLine({ incident }: { incident: Incident }): ReactNode {
  const axis = createAxis(incident);
  const now = useNow();
  return (
    <Section
      title="Timeline"
      lead="From detection to the last deadline. The first hours are drawn wider than the last weeks."
    >
      <div className={classes.frame}>
        {incident.clocks.map((clock) => (
          <Track key={clock._id} clock={clock} axis={axis} now={now} />
        ))}
        <div className={classes.scale} aria-hidden="true">
          {TICKS.filter(({ after }) => axis.toShare(axis.start + after) < 0.98).map(
            ({ label, after }) => (
              <span
                key={label}
                style={{ insetInlineStart: toPercent(axis.toShare(axis.start + after)) }}
              >
                {label}
              </span>
            ),
          )}
        </div>
      </div>
    </Section>
  );
}

const TICKS = [
  { label: '4 h', after: DAY / 6 },
  { label: '1 d', after: DAY },
  { label: '3 d', after: 3 * DAY },
  { label: '2 w', after: 14 * DAY },
];

interface TrackProps {
  clock: Clock;
  axis: Axis;
  now: number;
}

function Track({ clock, axis, now }: TrackProps): ReactNode {
  const name = REGULATOR_NAMES[clock.regulator];
  return (
    <div className={classes.row}>
      <Text size="sm" fw={550} className={classes.name}>
        {name}
      </Text>
      <ol className={classes.track} aria-label={`Deadlines of ${name}`}>
        <li
          aria-hidden="true"
          className={classes.elapsed}
          style={{ inlineSize: toPercent(axis.toShare(now)) }}
        />
        {clock.checkpoints.map((checkpoint) => {
          const state = findCheckpointState(checkpoint, now);
          const text = `${toTitle(checkpoint.label)}: ${WORDS[state]}, ${formatToMinute(checkpoint.deadlineAt)}`;
          return (
            <li
              key={checkpoint.id}
              data-state={state}
              className={classes.mark}
              title={text}
              style={{ insetInlineStart: toPercent(axis.toShare(toTime(checkpoint.deadlineAt))) }}
            >
              <VisuallyHidden>{text}</VisuallyHidden>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
