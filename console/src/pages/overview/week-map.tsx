// When decisions are made: hours of the week as a table that is tinted; arrow keys move in it.
import { Text, VisuallyHidden } from '@mantine/core';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useState } from 'react';
import { Section } from '../../parts/layout/section.tsx';
import { formatCount } from '../../parts/words.ts';
import type { OverviewData } from './overview-queries.ts';
import { findNewestHour } from './period.ts';
import classes from './week-map.module.css';

type WeekHour = OverviewData['week'][number];

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const WEEK_MS = 7 * 86_400_000;
/** The faintest tint that is seen on the surface. */
const FAINTEST = 0.25;

const sumHour = ({ approved, flagged, blocked }: WeekHour): number => approved + flagged + blocked;
const toKey = (weekday: number, hour: number): string => `${weekday} ${hour}`;
const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

const PlainCell = (props: ComponentProps<'a'>): ReactNode => (
  <a {...props} className={classes.cell} />
);
const CellLink: LinkComponent<typeof PlainCell> = createLink(PlainCell);

interface Props {
  week: readonly WeekHour[];
  span: OverviewData['span'];
}

export function WeekMap({ week, span }: Props): ReactNode {
  const busiest = week.toSorted((a, b) => sumHour(b) - sumHour(a))[0];
  const isLong = Date.parse(span.to) - Date.parse(span.from) > WEEK_MS;
  return (
    <Section
      title="Hours of the week"
      lead={
        <>
          When decisions were made, in UTC.{' '}
          {isLong ? 'A cell adds up several weeks, and leads to the newest of its hours.' : ''}
        </>
      }
    >
      <Map week={week} span={span} busiest={busiest} />
      {busiest && (
        <Text size="sm">
          Busiest: {DAYS[busiest.weekday - 1]} {formatHour(busiest.hour)} UTC,{' '}
          {formatCount(sumHour(busiest), 'decision')}
        </Text>
      )}
    </Section>
  );
}

const STEPS: Readonly<Record<string, readonly [days: number, hours: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Moves to the next cell in that direction that has decisions. */
function findNext(
  counts: ReadonlyMap<string, WeekHour>,
  { weekday, hour }: Pick<WeekHour, 'weekday' | 'hour'>,
  [days, hours]: readonly [number, number],
): string | null {
  for (let step = 1; step < 24; step++) {
    const key = toKey(weekday + step * days, hour + step * hours);
    if (counts.has(key)) return key;
  }
  return null;
}

function Map({ week, span, busiest }: Props & { busiest: WeekHour | undefined }): ReactNode {
  const counts = new globalThis.Map(week.map((one) => [toKey(one.weekday, one.hour), one]));
  const most = busiest ? sumHour(busiest) : 1;
  const [chosen, setChosen] = useState<string | null>(null);
  const current = chosen ?? (busiest ? toKey(busiest.weekday, busiest.hour) : '');
  function move(event: KeyboardEvent<HTMLElement>, from: WeekHour): void {
    const step = STEPS[event.key];
    const next = step && findNext(counts, from, step);
    if (next === undefined || next === null) return;
    event.preventDefault();
    setChosen(next);
    event.currentTarget
      .closest('table')
      ?.querySelector<HTMLElement>(`[data-hour="${next}"]`)
      ?.focus();
  }
  const drawCell = (weekday: number, hour: number): ReactNode => {
    const key = toKey(weekday, hour);
    const found = counts.get(key);
    if (!found) return <VisuallyHidden>0</VisuallyHidden>;
    const text = describeHour(found);
    return (
      <CellLink
        to="/live"
        search={findNewestHour(span, found)}
        data-hour={key}
        tabIndex={key === current ? 0 : -1}
        onKeyDown={(event) => move(event, found)}
        title={text}
        aria-label={text}
        style={{ opacity: FAINTEST + ((1 - FAINTEST) * sumHour(found)) / most }}
      />
    );
  };
  return (
    <table className={classes.map} aria-label="Decisions by hour of the week">
      <thead>
        <tr>
          <th scope="col" className={classes.day}>
            <VisuallyHidden>Day</VisuallyHidden>
          </th>
          {HOURS.map((hour) => (
            <th key={hour} scope="col">
              {hour % 6 === 0 ? hour : <VisuallyHidden>{hour}</VisuallyHidden>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {DAYS.map((day, at) => (
          <tr key={day}>
            <th scope="row" className={classes.day}>
              {day}
            </th>
            {HOURS.map((hour) => (
              <td key={hour}>{drawCell(at + 1, hour)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function describeHour(found: WeekHour): string {
  const { weekday, hour, flagged, blocked } = found;
  const of = `${flagged.toLocaleString('en')} held, ${blocked.toLocaleString('en')} blocked`;
  return `${DAYS[weekday - 1]} ${formatHour(hour)}: ${formatCount(sumHour(found), 'decision')}, ${of}`;
}
