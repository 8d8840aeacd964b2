// Decisions of the last 24 hours by hour and verdict; two handles choose the hours that the list shows.
import { Group, Paper, RangeSlider, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { agentsQuery } from '../../api/shared-queries.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { toTime } from '../../parts/search/search-times.ts';
import { Verdict } from '../../parts/verdict.tsx';
import classes from './series-chart.module.css';

type Point = components['schemas']['DecisionSeries']['points'][number];

/** The chosen hours, as times or as spans that end now; absent: without that end. */
export interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

const ID = /^[0-9a-f]{24}$/;

/** Hours are counted of registered agents: the id of one, or its name, becomes its id. */
function useAgentId(agent: string | undefined): string | undefined {
  const isName = agent !== undefined && !ID.test(agent);
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: isName });
  return isName ? (agents.find(({ name }) => name === agent)?._id ?? agent) : agent;
}

const createSeriesQuery = (agentId: string | undefined) =>
  queryOptions({
    enabled: agentId === undefined || ID.test(agentId),
    queryKey: ['series', agentId],
    queryFn: () => {
      const query = { bucket: 'hour', ...(agentId !== undefined && { agentId }) } as const;
      return readData(api.GET('/api/v1/traces/series', { params: { query } }));
    },
    refetchInterval: 120_000,
    retry: false,
  });

const STATUSES = ['blocked', 'flagged', 'approved'] as const;
const hour = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false });

const countPoint = ({ approved, flagged, blocked }: Point): number => approved + flagged + blocked;
const sumPoints = (points: readonly Point[], status: keyof Omit<Point, 'at'>): number =>
  points.reduce((sum, point) => sum + point[status], 0);

interface Props {
  /** Name or id; absent: all. */
  agent: string | undefined;
  period: Period;
  onChange: (period: Period) => void;
}

export function SeriesChart({ agent, period, onChange }: Props): ReactNode {
  const series = useQuery(createSeriesQuery(useAgentId(agent)));
  const points = series.data?.points ?? [];
  if (series.isError || (series.fetchStatus === 'idle' && series.isPending)) return null;
  return (
    <Paper p="sm" component="section" aria-label="Last 24 hours" mih={132}>
      {points.length > 0 && <Chart points={points} period={period} onChange={onChange} />}
    </Paper>
  );
}

/** Index of the first hour that begins at the time or after it. */
function findHour(points: readonly Point[], at: string | undefined, absent: number): number {
  if (at === undefined) return absent;
  const time = Date.parse(toTime(at, Date.now()));
  const index = points.findIndex((point) => Date.parse(point.at) >= time);
  return index < 0 ? points.length : index;
}

function toPeriod(points: readonly Point[], [first, end]: readonly [number, number]): Period {
  const next = points[end];
  return {
    from: first === 0 ? undefined : points[first]?.at,
    to: next && new Date(Date.parse(next.at) - 1).toISOString(),
  };
}

function Chart({
  points,
  period,
  onChange,
}: Omit<Props, 'agent'> & { points: Point[] }): ReactNode {
  const { from, to } = period;
  const chosen = [findHour(points, from, 0), findHour(points, to, points.length)] as const;
  const [range, setRange] = useState<[number, number]>([...chosen]);
  const [first, end] = chosen;
  useEffect(() => setRange([first, end]), [first, end]);
  const most = Math.max(1, ...points.map(countPoint));
  const describeHour = (index: number): string =>
    index >= points.length ? 'now' : hour.format(new Date(points[index]?.at ?? 0));
  return (
    <>
      <Legend points={points} />
      <div
        role="img"
        aria-label={`Decisions by hour, at most ${most} in one`}
        className={classes.bars}
      >
        {points.map((point, index) => (
          <div
            key={point.at}
            className={classes.hour}
            data-chosen={index >= range[0] && index < range[1]}
            title={`${describeHour(index)}: ${countPoint(point)}`}
          >
            {STATUSES.map((status) => (
              <span
                key={status}
                className={classes[status]}
                style={{ blockSize: `${(100 * point[status]) / most}%` }}
              />
            ))}
          </div>
        ))}
      </div>
      <RangeSlider
        size="sm"
        min={0}
        max={points.length}
        minRange={1}
        pushOnOverlap={false}
        value={range}
        label={describeHour}
        thumbFromLabel="From hour"
        thumbToLabel="To hour"
        onChange={setRange}
        onChangeEnd={(next) => onChange(toPeriod(points, next))}
      />
      <Group justify="space-between" className={classes.ends}>
        {[0, points.length].map((index) => (
          <Text key={index} size="xs" c="dimmed" className="numbers">
            {describeHour(index)}
          </Text>
        ))}
      </Group>
    </>
  );
}

function Legend({ points }: { points: readonly Point[] }): ReactNode {
  return (
    <Group gap="4px 16px" mb={4}>
      <Text size="xs" c="dimmed">
        Last 24 hours
      </Text>
      {STATUSES.toReversed().map((status) => (
        <Group key={status} gap={6}>
          <Verdict status={status} />
          <Text size="sm" className="numbers">
            {sumPoints(points, status).toLocaleString('en')}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
